import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LeasedWork, type ClaimRequest } from './leased-work.js';

interface Task {
  partition: number;
  id: number;
}

const MARGIN_MS = 1_000;

/** Work over a list of due tasks, which run until the test ends them. */
function workOver(due: Task[], limits: { partition: number; total: number }) {
  const running = new Map<number, () => void>();
  const freeSlot = new Map<number, () => void>();
  const claims: ClaimRequest[] = [];
  const leaseEnds: number[] = [];
  const undone: string[][] = [];
  const observed: string[] = [];
  const state = {
    peak: 0,
    claimError: undefined as Error | undefined,
    runError: undefined as Error | undefined,
    undoError: undefined as Error | undefined,
    undoAfter: undefined as Promise<void> | undefined,
  };
  const work = new LeasedWork<Task>({
    table: {
      listDuePartitions: () => Promise.resolve([...new Set(due.map(({ partition: id }) => id))].map((id) => ({ id }))),
      undoClaim: async (task) => {
        await state.undoAfter;
        if (state.undoError) throw state.undoError;
        due.push(task);
      },
      undoClaims: (names) => Promise.resolve(undone.push(names)),
      takeOverClaims: () => Promise.resolve(),
      pullBack: () => Promise.resolve([]),
    },
    claim: (request) => {
      claims.push(request);
      if (state.claimError) return Promise.reject(state.claimError);
      const taken: Task[] = [];
      for (const { id, slots } of request.partitions) {
        const free = Math.min(slots, request.total - taken.length);
        const mine = due.filter(({ partition }) => partition === id).slice(0, free);
        for (const task of mine) taken.push(...due.splice(due.indexOf(task), 1));
      }
      return Promise.resolve(taken);
    },
    run: ({ id }, leaseEndMs, free) =>
      new Promise((resolve, reject) => {
        leaseEnds.push(leaseEndMs);
        freeSlot.set(id, free);
        running.set(id, () => {
          running.delete(id);
          if (state.runError) reject(state.runError);
          else resolve();
        });
        state.peak = Math.max(state.peak, running.size);
      }),
    partitionOf: ({ partition }) => partition,
    slotsOf: () => limits.partition,
    totalSlots: limits.total,
    runLimitMs: () => 5_000,
    leaseMarginMs: MARGIN_MS,
    process: 'test',
    isReady: () => true,
    observer: {
      claimFailed: (error) => observed.push(`claim failed: ${(error as Error).message}`),
      claimExpired: ({ id }) => observed.push(`claim of ${id} expired`),
      taskFailed: ({ id }, error) => observed.push(`task ${id} failed: ${(error as Error).message}`),
    },
  });
  return { work, running, freeSlot, claims, leaseEnds, undone, observed, state };
}

const tasksOf = (partition: number, count: number): Task[] =>
  Array.from({ length: count }, (_, id) => ({ partition, id }));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function endAll(running: Map<number, () => void>): Promise<void> {
  while (running.size > 0) {
    for (const end of Array.from(running.values())) end();
    await turn();
  }
}

afterEach(() => void jest.restoreAllMocks());

describe('leased work', () => {
  it('runs all due work of a partition with one wake-up, never more at once than the partition has slots', async () => {
    const due = tasksOf(1, 25);
    const { work, running, state } = workOver(due, { partition: 4, total: 100 });
    work.wake([1]);
    await turn();
    expect(running.size).toBe(4);
    await endAll(running);
    expect(due).toEqual([]);
    expect(state.peak).toBe(4);
  });

  it('gives a slot to the next task while an end is recorded, but lets no more ends pile up than there are slots', async () => {
    const due = tasksOf(1, 9);
    const { work, running, freeSlot } = workOver(due, { partition: 2, total: 100 });
    work.wake([1]);
    await turn();
    for (const ids of [
      [0, 1],
      [2, 3],
    ]) {
      expect([...running.keys()].slice(-2)).toEqual(ids);
      for (const id of ids) freeSlot.get(id)?.();
      await turn();
    }
    expect([...running.keys()]).toEqual([0, 1, 2, 3]);
    running.get(0)?.();
    await turn();
    expect([...running.keys()]).toEqual([1, 2, 3, 4]);
    await endAll(running);
    expect(due).toEqual([]);
  });

  it('claims when tasks end and not for each slot, so that a claim fills all slots that are free by then', async () => {
    const due = tasksOf(1, 20);
    const { work, running, freeSlot, claims } = workOver(due, { partition: 4, total: 100 });
    work.wake([1]);
    await turn();
    for (const id of [0, 1, 2]) {
      freeSlot.get(id)?.();
      await turn();
    }
    expect(claims).toHaveLength(1);
    running.get(0)?.();
    await turn();
    expect(claims.slice(1).map(({ total }) => total)).toEqual([3]);
    // Two ends are still to come: the slot of the fourth task waits for them.
    freeSlot.get(3)?.();
    await turn();
    expect(claims).toHaveLength(2);
    await endAll(running);
    expect(due).toEqual([]);
  });

  it('keeps a full partition from holding up another', async () => {
    const due = [...tasksOf(1, 10), { partition: 2, id: 99 }];
    const { work, running } = workOver(due, { partition: 3, total: 100 });
    work.wake([1]);
    await turn();
    work.wake([2]);
    await turn();
    expect(running.has(99)).toBe(true);
    await endAll(running);
    expect(due).toEqual([]);
  });

  it('keeps to the limit over all partitions and forgets none of them', async () => {
    const due = Array.from({ length: 30 }, (_, id) => ({ partition: id % 10, id }));
    const { work, running, state } = workOver(due, { partition: 3, total: 5 });
    work.wake([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await turn();
    await endAll(running);
    expect(due).toEqual([]);
    expect(state.peak).toBeLessThanOrEqual(5);
  });

  it('gives a partition its turn while another has work for all slots of the process', async () => {
    const due = [...tasksOf(1, 50), { partition: 2, id: 98 }, { partition: 2, id: 99 }];
    const { work, running } = workOver(due, { partition: 50, total: 2 });
    work.wake([1]);
    await turn();
    work.wake([2]);
    await turn();
    for (const id of [0, 1, 2, 98]) {
      running.get(id)?.();
      await turn();
    }
    expect([...running.keys()]).toEqual([3, 99]);
    await endAll(running);
    expect(due).toEqual([]);
  });

  it('divides the last slots of the process between the partitions that wait for them', async () => {
    const { work, claims } = workOver([], { partition: 4, total: 8 });
    work.wake([1, 2, 3, 4]);
    await turn();
    expect(claims.map(({ partitions }) => partitions.map(({ slots }) => slots))).toEqual([[2, 2, 2, 2]]);
  });

  it('asks once for wake-ups that arrive together, in one query for all partitions', async () => {
    const { work, claims } = workOver([], { partition: 3, total: 100 });
    for (let n = 0; n < 50; n++) work.wake([n % 5]);
    await turn();
    const partitions = [0, 1, 2, 3, 4].map((id) => ({ id, slots: 3 }));
    expect(claims).toEqual([{ partitions, total: 15, name: 'test/1' }]);
  });

  it('wakes partitions with a free slot here, and returns the others', async () => {
    const { work, running, claims } = workOver([...tasksOf(1, 2), { partition: 2, id: 9 }], { partition: 1, total: 2 });
    expect(work.wakeFree([1])).toEqual([]);
    await turn();
    expect(work.wakeFree([1, 2])).toEqual([1]);
    await turn();
    expect([...running.keys()]).toEqual([0, 9]);
    // All slots of the process are taken.
    expect(work.wakeFree([3])).toEqual([3]);
    const drained = work.drain();
    await endAll(running);
    await drained;
    expect(work.wakeFree([1])).toEqual([1]);
    expect(claims.map(({ partitions }) => partitions.map(({ id }) => id))).toEqual([[1], [2]]);
  });

  it('drains: ends what runs and claims nothing more', async () => {
    const due = tasksOf(1, 5);
    const { work, running } = workOver(due, { partition: 2, total: 100 });
    work.wake([1]);
    await turn();
    const drained = work.drain();
    await endAll(running);
    await drained;
    work.wake([1]);
    await turn();
    expect(due).toHaveLength(3);
  });

  it('tells a task when its lease ends, counted from before its claim', async () => {
    const due = tasksOf(1, 1);
    const { work, running, leaseEnds } = workOver(due, { partition: 2, total: 100 });
    jest.spyOn(performance, 'now').mockReturnValue(50_000);
    work.wake([1]);
    await turn();
    expect(leaseEnds).toEqual([50_000 + 5_000 + MARGIN_MS]);
    await endAll(running);
  });

  it('does nothing for a claim that has expired, gives its tasks back and claims them again', async () => {
    const due = tasksOf(1, 2);
    const { work, running, claims, observed } = workOver(due, { partition: 2, total: 100 });
    // Time passes during the first claim only.
    jest.spyOn(performance, 'now').mockImplementation(() => (claims.length === 0 ? 0 : MARGIN_MS + 1));
    work.wake([1]);
    await turn();
    expect(observed).toEqual(['claim of 0 expired', 'claim of 1 expired']);
    await turn();
    expect(claims).toHaveLength(2);
    expect([...running.keys()]).toEqual([0, 1]);
    await endAll(running);
  });

  it('does nothing for a claim during which the machine slept, when its monotonic clock stood still', async () => {
    const due = tasksOf(1, 1);
    const { work, running, claims, observed } = workOver(due, { partition: 2, total: 100 });
    jest.spyOn(Date, 'now').mockImplementation(() => (claims.length === 0 ? 0 : MARGIN_MS + 1_000));
    work.wake([1]);
    await turn();
    expect(observed).toEqual(['claim of 0 expired']);
    await turn();
    expect([...running.keys()]).toEqual([0]);
    await endAll(running);
  });

  it('undoes an expired claim later, if the first undo failed', async () => {
    const due = tasksOf(1, 1);
    const { work, running, claims, observed, state } = workOver(due, { partition: 2, total: 100 });
    jest.spyOn(performance, 'now').mockImplementation(() => (claims.length === 0 ? 0 : MARGIN_MS + 1));
    state.undoError = new Error('away');
    work.wake([1]);
    await turn();
    await turn();
    expect(observed).toEqual(['claim of 0 expired', 'task 0 failed: away']);
    await expect(work.sweep()).rejects.toThrow('away');
    state.undoError = undefined;
    await work.sweep();
    await turn();
    expect([...running.keys()]).toEqual([0]);
    await endAll(running);
    await work.sweep();
    expect(due).toEqual([]);
  });

  it('claims other work while the undo of a claim waits for its row', async () => {
    const due = tasksOf(1, 1);
    const { work, running, claims, state } = workOver(due, { partition: 2, total: 100 });
    jest.spyOn(performance, 'now').mockImplementation(() => (claims.length === 0 ? 0 : MARGIN_MS + 1));
    state.undoError = new Error('its row is locked');
    work.wake([1]);
    await turn();
    due.push({ partition: 2, id: 7 });
    let unlock = (): void => undefined;
    state.undoAfter = new Promise((resolve) => (unlock = resolve));
    state.undoError = undefined;
    const swept = work.sweep();
    await turn();
    expect([...running.keys()]).toEqual([7]);
    unlock();
    await swept;
    await turn();
    expect([...running.keys()]).toEqual([7, 0]);
    await endAll(running);
  });

  it('claims other work although a claim cannot be undone, and reports that it cannot', async () => {
    const due = tasksOf(1, 1);
    const { work, running, claims, state } = workOver(due, { partition: 2, total: 100 });
    jest.spyOn(performance, 'now').mockImplementation(() => (claims.length === 0 ? 0 : MARGIN_MS + 1));
    state.undoError = new Error('its row is locked');
    work.wake([1]);
    await turn();
    due.push({ partition: 2, id: 7 });
    await expect(work.sweep()).rejects.toThrow('its row is locked');
    await turn();
    expect([...running.keys()]).toEqual([7]);
    await endAll(running);
  });

  it('undoes a failed claim before it stops, because only this process knows that nothing was done', async () => {
    const { work, undone, state } = workOver(tasksOf(1, 1), { partition: 2, total: 100 });
    state.claimError = new Error('away');
    work.wake([1]);
    await turn();
    await work.drain();
    expect(undone).toEqual([['test/1']]);
  });

  it('leaves the work of a failed claim to the next sweep, which undoes the claim', async () => {
    const due = tasksOf(1, 3);
    const { work, running, observed, undone, state } = workOver(due, { partition: 2, total: 100 });
    state.claimError = new Error('away');
    work.wake([1]);
    await turn();
    await turn();
    expect(observed).toEqual(['claim failed: away']);
    state.claimError = undefined;
    await work.sweep();
    expect(undone).toEqual([['test/1']]);
    await turn();
    await endAll(running);
    expect(due).toEqual([]);
  });

  it('goes on after tasks that failed', async () => {
    const due = tasksOf(1, 3);
    const { work, running, observed, state } = workOver(due, { partition: 1, total: 100 });
    state.runError = new Error('broken');
    work.wake([1]);
    await turn();
    await endAll(running);
    expect(observed).toEqual([0, 1, 2].map((id) => `task ${id} failed: broken`));
    expect(due).toEqual([]);
  });
});
