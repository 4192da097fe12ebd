import { describe, expect, it } from '@jest/globals';
import { GroupCommit, locked, refused, succeeded, type LockWait, type BatchResult } from './group-commit.js';

/** A writer whose batches end when the test says so. */
function heldWriter(
  options: { maxBatch?: number; maxInFlight?: number; maxWaiting?: number; maxWaitMs?: number } = {},
) {
  const batches: { commands: number[]; end: (error?: Error) => void }[] = [];
  const writer = new GroupCommit<number, string>({
    commit: (commands) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error ? reject(error) : resolve(commands.map((n) => succeeded(`done ${n}`)));
        batches.push({ commands, end });
      }),
    retryAlone: () => true,
    ...options,
  });
  return { writer, batches };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('group commit', () => {
  it('sends a lone command at once, as a batch of one', async () => {
    const { writer, batches } = heldWriter();
    const result = writer.submit(1);
    await turn();
    expect(batches.map(({ commands }) => commands)).toEqual([[1]]);
    batches[0]?.end();
    await expect(result).resolves.toBe('done 1');
  });

  it('puts commands that arrive during a batch into the next one, in order of arrival', async () => {
    const { writer, batches } = heldWriter({ maxInFlight: 1 });
    const results = [writer.submit(1)];
    await turn();
    results.push(writer.submit(2), writer.submit(3), writer.submit(4));
    await turn();
    expect(batches).toHaveLength(1);
    batches[0]?.end();
    await turn();
    expect(batches[1]?.commands).toEqual([2, 3, 4]);
    batches[1]?.end();
    await expect(Promise.all(results)).resolves.toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
  });

  it('keeps to its batch size and number in flight', async () => {
    const { writer, batches } = heldWriter({ maxBatch: 2, maxInFlight: 2 });
    const results = Array.from({ length: 7 }, (_, n) => writer.submit(n));
    for (let ended = 0; ended < 4; ended++) {
      await turn();
      expect(batches.length - ended).toBeLessThanOrEqual(2);
      batches[ended]?.end();
    }
    await Promise.all(results);
    expect(batches.map(({ commands }) => commands)).toEqual([[0, 1], [2, 3], [4, 5], [6]]);
  });

  it('gives a refused command its own error and the others their results', async () => {
    const outcomes: BatchResult<number>[] = [succeeded(1), refused(new Error('not this one')), succeeded(3)];
    const writer = new GroupCommit<number, number>({
      commit: () => Promise.resolve(outcomes),
      retryAlone: () => true,
    });
    const results = await Promise.allSettled([writer.submit(1), writer.submit(2), writer.submit(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('repeats a broken batch one by one, so that only the culprit fails', async () => {
    const writer = new GroupCommit<number, number>({
      commit: (commands) =>
        commands.includes(2) ? Promise.reject(new Error('broken')) : Promise.resolve(commands.map((n) => succeeded(n))),
      retryAlone: () => true,
    });
    const results = await Promise.allSettled([1, 2, 3].map((n) => writer.submit(n)));
    expect(results).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('broken') },
      { status: 'fulfilled', value: 3 },
    ]);
  });

  it('repeats nothing when the batch may have been committed', async () => {
    let commits = 0;
    const writer = new GroupCommit<number, number>({
      commit: () => Promise.reject(new Error(`lost ${++commits}`)),
      retryAlone: () => false,
    });
    const results = await Promise.allSettled([writer.submit(1), writer.submit(2)]);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(commits).toBe(1);
  });

  it('refuses more commands than may wait, and serves those that wait', async () => {
    const { writer, batches } = heldWriter({ maxInFlight: 1, maxWaiting: 2 });
    const first = writer.submit(1);
    await turn();
    const waiting = [writer.submit(2), writer.submit(3)];
    await expect(writer.submit(4)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    batches[0]?.end();
    await first;
    await turn();
    batches[1]?.end();
    await expect(Promise.all(waiting)).resolves.toEqual(['done 2', 'done 3']);
  });

  it('cuts a batch where it grows too heavy, but never below one command', async () => {
    const batches: number[][] = [];
    const writer = new GroupCommit<number, number>({
      commit: (commands) => {
        batches.push(commands);
        return Promise.resolve(commands.map((n) => succeeded(n)));
      },
      retryAlone: () => true,
      weightOf: (weight) => weight,
      maxWeight: 10,
      maxInFlight: 1,
    });
    await Promise.all([3, 4, 5, 50, 1].map((weight) => writer.submit(weight)));
    expect(batches).toEqual([[3, 4], [5], [50], [1]]);
  });

  it('refuses commands that waited too long behind a batch that does not end, and only those', async () => {
    const { writer, batches } = heldWriter({ maxInFlight: 1, maxWaitMs: 300 });
    const first = writer.submit(1);
    await turn();
    await expect(writer.submit(2)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const late = writer.submit(3);
    batches[0]?.end();
    await first;
    await turn();
    batches[1]?.end();
    await expect(late).resolves.toBe('done 3');
  });
});

/** PostgreSQL's error for a statement that waited too long for a lock. */
const lockTimeout = (): Error => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** A writer of commands like `a1`: the letter is the key, and some keys are locked by another transaction. */
function writerWithLocks(options: { maxWaitMs?: number; answerWithinMs?: number; maxAside?: number } = {}) {
  const held = new Set<string>();
  const commits: { commands: string[]; wait: LockWait }[] = [];
  const keyOf = (command: string): string => command.charAt(0);
  const writer = new GroupCommit<string, string>({
    commit: async (commands, wait) => {
      commits.push({ commands, wait });
      await turn();
      if (wait !== 'never' && commands.some((command) => held.has(keyOf(command)))) throw lockTimeout();
      return commands.map((command) => (held.has(keyOf(command)) ? locked : succeeded(command)));
    },
    keyOf: (command) => command.charCodeAt(0),
    maxInFlight: 1,
    ...options,
  });
  return { writer, held, commits };
}

describe('group commit beside locked rows', () => {
  it('sets the commands aside whose rows are locked, and lets no other wait behind them', async () => {
    const { writer, held, commits } = writerWithLocks();
    held.add('b');
    const waiting = writer.submit('b1');
    const others = [writer.submit('a1'), writer.submit('c1')];
    await expect(Promise.all(others)).resolves.toEqual(['a1', 'c1']);
    expect(commits.slice(0, 2)).toEqual([
      { commands: ['b1', 'a1', 'c1'], wait: 'briefly' },
      { commands: ['b1', 'a1', 'c1'], wait: 'never' },
    ]);
    held.clear();
    await expect(waiting).resolves.toBe('b1');
  });

  it('sets later commands for a locked key aside, without delaying a batch', async () => {
    const { writer, held, commits } = writerWithLocks();
    held.add('b');
    const waiting = [writer.submit('b1')];
    await writer.submit('a1');
    commits.length = 0;
    waiting.push(writer.submit('b2'));
    await writer.submit('a2');
    expect(commits.filter(({ wait }) => wait !== 'patiently')).toEqual([{ commands: ['a2'], wait: 'briefly' }]);
    held.clear();
    await expect(Promise.all(waiting)).resolves.toEqual(['b1', 'b2']);
    await writer.submit('b3');
    expect(commits.at(-1)).toEqual({ commands: ['b3'], wait: 'briefly' });
  });

  it('gives each locked key its turn, however few may wait for their locks at once', async () => {
    const { writer, held } = writerWithLocks({ maxAside: 1 });
    for (const key of ['b', 'c', 'd']) held.add(key);
    const waiting = ['b1', 'c1', 'd1'].map((command) => writer.submit(command));
    await writer.submit('a1');
    held.delete('d');
    await expect(waiting[2]).resolves.toBe('d1');
    held.clear();
    await Promise.all(waiting);
  });

  it('refuses a command that waited too long for its lock, and does nothing for it', async () => {
    const { writer, held, commits } = writerWithLocks({ maxWaitMs: 100 });
    held.add('b');
    await expect(writer.submit('b1')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    held.clear();
    const before = commits.length;
    await turn();
    expect(commits).toHaveLength(before);
  });

  it('keeps no command in flight that it refused after its wait for a lock', async () => {
    const { writer, held, commits } = writerWithLocks({ maxWaitMs: 1, answerWithinMs: 60_000 });
    held.add('b');
    const refusals = ['b1', 'b2', 'b3'].map((command) => writer.submit(command));
    for (const refusal of refusals) await expect(refusal).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(commits.some(({ wait }) => wait === 'patiently')).toBe(true);
    held.clear();
    await writer.submit('b4');
    expect(writer['flying'].size).toBe(0);
  });

  it('repeats nothing one by one after a timeout: each would take as long', async () => {
    let commits = 0;
    const writer = new GroupCommit<number, string>({
      commit: () => {
        commits++;
        return Promise.reject(lockTimeout());
      },
    });
    const results = await Promise.allSettled([writer.submit(1), writer.submit(2)]);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(commits).toBe(1);
  });

  it('answers a command in time that waits for its lock while the database stalls', async () => {
    const writer = new GroupCommit<string, string>({
      commit: (commands, wait) => {
        if (wait === 'briefly') return Promise.reject(lockTimeout());
        return wait === 'never' ? Promise.resolve(commands.map(() => locked)) : new Promise(() => undefined);
      },
      keyOf: () => 1,
      answerWithinMs: 50,
    });
    await expect(writer.submit('b1')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('answers when its time is up, although the batch is still in flight', async () => {
    const writer = new GroupCommit<number, string>({
      commit: () => new Promise(() => undefined),
      answerWithinMs: 50,
    });
    await expect(writer.submit(1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
