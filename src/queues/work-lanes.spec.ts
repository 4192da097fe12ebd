import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { WorkLanes } from './work-lanes.js';

interface Task {
  lane: number;
  id: number;
}

/** Lanes over a list of due work, whose tasks run until the test ends them. */
function lanesOver(due: Task[], limits: { lane: number; total: number }) {
  const running = new Map<number, () => void>();
  const claims: Map<number, number>[] = [];
  let peak = 0;
  const lanes = new WorkLanes<Task>({
    name: 'test',
    logger: pino({ level: 'silent' }),
    limitOf: () => limits.lane,
    totalLimit: limits.total,
    claim: (room, total) => {
      claims.push(room);
      const taken: Task[] = [];
      for (const [lane, free] of room) {
        const mine = due.filter((task) => task.lane === lane).slice(0, Math.min(free, total - taken.length));
        for (const task of mine) taken.push(...due.splice(due.indexOf(task), 1));
      }
      return Promise.resolve(taken);
    },
    laneOf: ({ lane }) => lane,
    run: ({ id }) =>
      new Promise((resolve) => {
        running.set(id, () => {
          running.delete(id);
          resolve();
        });
        peak = Math.max(peak, running.size);
      }),
  });
  return { lanes, running, claims, peak: () => peak };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function endAll(running: Map<number, () => void>): Promise<void> {
  while (running.size > 0) {
    for (const end of [...running.values()]) end();
    await turn();
  }
}

describe('work lanes', () => {
  it('runs all due work of a lane with one wake-up, never more at once than the lane has room for', async () => {
    const due = Array.from({ length: 25 }, (_, id) => ({ lane: 1, id }));
    const { lanes, running, peak } = lanesOver(due, { lane: 4, total: 100 });
    lanes.wake([1]);
    await turn();
    expect(running.size).toBe(4);
    await endAll(running);
    expect(due).toEqual([]);
    expect(peak()).toBe(4);
  });

  it('keeps a full lane from holding up another', async () => {
    const due = [...Array.from({ length: 10 }, (_, id) => ({ lane: 1, id })), { lane: 2, id: 99 }];
    const { lanes, running } = lanesOver(due, { lane: 3, total: 100 });
    lanes.wake([1]);
    await turn();
    lanes.wake([2]);
    await turn();
    expect(running.has(99)).toBe(true);
    await endAll(running);
    expect(due).toEqual([]);
  });

  it('keeps to the limit over all lanes and forgets none of them', async () => {
    const due = Array.from({ length: 30 }, (_, id) => ({ lane: id % 10, id }));
    const { lanes, running, peak } = lanesOver(due, { lane: 3, total: 5 });
    lanes.wake([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await turn();
    await endAll(running);
    expect(due).toEqual([]);
    expect(peak()).toBeLessThanOrEqual(5);
  });

  it('asks once for wake-ups that arrive together', async () => {
    const { lanes, claims } = lanesOver([], { lane: 3, total: 100 });
    for (let n = 0; n < 50; n++) lanes.wake([n % 5]);
    await turn();
    expect(claims.length).toBeLessThanOrEqual(2);
  });

  it('drains: ends what runs and claims nothing more', async () => {
    const due = Array.from({ length: 5 }, (_, id) => ({ lane: 1, id }));
    const { lanes, running } = lanesOver(due, { lane: 2, total: 100 });
    lanes.wake([1]);
    await turn();
    const drained = lanes.drain();
    await endAll(running);
    await drained;
    lanes.wake([1]);
    await turn();
    expect(due).toHaveLength(3);
  });
});
