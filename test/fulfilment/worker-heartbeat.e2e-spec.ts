import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WorkerHeartbeatService } from '../../src/queues/worker-heartbeat.service.js';
import { WorkerProcessesRepository } from '../../src/queues/worker-processes.repository.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;
let heartbeat: WorkerHeartbeatService;
let nowMs = 0;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

beforeEach(async () => {
  nowMs = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  heartbeat = new WorkerHeartbeatService(new WorkerProcessesRepository(stack.database));
  await stack.sql(`DELETE FROM worker_processes`);
  await stack.sql(`INSERT INTO worker_processes VALUES ('worker@gone:1', now() - interval '1 hour')`);
});

afterEach(() => void jest.restoreAllMocks());

/** The processes that the worker takes for dead at each of its next beats, one every two seconds. */
async function beats(count: number): Promise<string[][]> {
  const dead: string[][] = [];
  for (let n = 0; n < count; n++) {
    dead.push((await heartbeat.beat()).dead);
    nowMs += 2_000;
  }
  return dead;
}

const NOBODY: string[][] = [[], [], [], []];

describe('a worker', () => {
  it('takes nobody for dead before it has lived long enough itself to have seen them', async () => {
    expect(await beats(5)).toEqual([...NOBODY, ['worker@gone:1']]);
  });

  it('sees who has come back, and does not forget them', async () => {
    await beats(4);
    await stack.sql(`UPDATE worker_processes SET seen_at = now() WHERE name = 'worker@gone:1'`);
    expect(await beats(1)).toEqual([[]]);
    await heartbeat.forget(['worker@gone:1']);
    expect(await stack.sql(`SELECT FROM worker_processes WHERE name = 'worker@gone:1'`)).toHaveLength(1);
  });

  it('that could not say it lives begins anew: nobody else could, either', async () => {
    await beats(5);
    await stack.sql('ALTER TABLE worker_processes RENAME TO away');
    await expect(heartbeat.beat()).rejects.toThrow();
    await stack.sql('ALTER TABLE away RENAME TO worker_processes');
    expect(await beats(5)).toEqual([...NOBODY, ['worker@gone:1']]);
  });

  it('shares what all may do at once with those who lived before an outage, until they had time to say so', async () => {
    await stack.sql(`INSERT INTO worker_processes VALUES ('worker@other:1', now())`);
    await beats(1);
    expect(heartbeat.shareOf(6)).toBe(3);
    await stack.sql(`UPDATE worker_processes SET seen_at = now() - interval '1 hour'`);
    nowMs += 60_000;
    await beats(4);
    expect(heartbeat.shareOf(6)).toBe(3);
    await beats(1);
    expect(heartbeat.shareOf(6)).toBe(6);
  });

  it('that stood still for long begins anew', async () => {
    await beats(5);
    nowMs += 60_000;
    expect(await beats(5)).toEqual([...NOBODY, ['worker@gone:1']]);
  });
});
