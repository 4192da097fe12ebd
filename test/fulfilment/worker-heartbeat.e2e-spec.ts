import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { WorkerHeartbeatService } from '../../src/queues/worker-heartbeat.service.js';
import { WorkerProcessesRepository } from '../../src/queues/worker-processes.repository.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;
let heartbeat: WorkerHeartbeatService;
let nowMs = 0;
let isDisturbed = false;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

afterEach(() => void jest.restoreAllMocks());

/**
 * Plays a scene beside a dead worker. If the machine stands still meanwhile, PostgreSQL's clock seems to be set forward beside the
 * test's own clock: then the scene begins again.
 */
async function played<Seen>(scene: () => Promise<Seen>): Promise<Seen> {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  for (;;) {
    nowMs = 1_000_000;
    isDisturbed = false;
    heartbeat = new WorkerHeartbeatService(new WorkerProcessesRepository(stack.database));
    await stack.sql(`DELETE FROM worker_processes`);
    await stack.sql(`INSERT INTO worker_processes VALUES ('worker@gone:1', now() - interval '1 hour')`);
    const seen = await scene();
    if (!isDisturbed) return seen;
  }
}

/** The processes that the worker takes for dead at each of its next beats, two seconds apart. */
async function beats(count: number): Promise<string[][]> {
  const dead: string[][] = [];
  for (let n = 0; n < count; n++) {
    const beat = await heartbeat.beat();
    isDisturbed ||= beat.clockWasSetForward;
    dead.push(beat.dead);
    nowMs += 2_000;
  }
  return dead;
}

const NOBODY: string[][] = [[], [], [], []];

describe('a worker', () => {
  it('takes no process for dead until it has run long enough to see its heartbeat', async () => {
    expect(await played(() => beats(5))).toEqual([...NOBODY, ['worker@gone:1']]);
  });

  it('does not remove the row of a worker that beats again', async () => {
    const dead = await played(async () => {
      await beats(4);
      await stack.sql(`UPDATE worker_processes SET seen_at = now() WHERE name = 'worker@gone:1'`);
      return beats(1);
    });
    expect(dead).toEqual([[]]);
    await heartbeat.forget(['worker@gone:1']);
    expect(await stack.sql(`SELECT FROM worker_processes WHERE name = 'worker@gone:1'`)).toHaveLength(1);
  });

  it('starts to watch the others anew after its own beat failed, because theirs may have failed, too', async () => {
    const dead = await played(async () => {
      await beats(5);
      await stack.sql('ALTER TABLE worker_processes RENAME TO away');
      await expect(heartbeat.beat()).rejects.toThrow();
      await stack.sql('ALTER TABLE away RENAME TO worker_processes');
      return beats(5);
    });
    expect(dead).toEqual([...NOBODY, ['worker@gone:1']]);
  });

  it('counts workers from before an outage in its shares, until they have had time to beat', async () => {
    const shares = await played(async () => {
      await stack.sql(`INSERT INTO worker_processes VALUES ('worker@other:1', now())`);
      await beats(1);
      const before = heartbeat.shareOf(6);
      await stack.sql(`UPDATE worker_processes SET seen_at = now() - interval '1 hour'`);
      nowMs += 60_000;
      await beats(4);
      const after = heartbeat.shareOf(6);
      await beats(1);
      return [before, after, heartbeat.shareOf(6)];
    });
    expect(shares).toEqual([3, 3, 6]);
  });

  it('starts to watch the others anew after it stood still for long', async () => {
    const dead = await played(async () => {
      await beats(5);
      nowMs += 60_000;
      return beats(5);
    });
    expect(dead).toEqual([...NOBODY, ['worker@gone:1']]);
  });
});
