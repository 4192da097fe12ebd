import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database, Statement } from '../../src/database/database.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;
let database: Database;

const INSERT: Statement = { name: 'test.insert', text: 'INSERT INTO notes VALUES ($1::int) RETURNING n' };
const COUNT: Statement = { name: 'test.count', text: 'SELECT count(*)::int AS n FROM notes' };
const LOCK: Statement = { name: 'test.lock', text: 'SELECT n FROM notes WHERE n = $1::int FOR UPDATE' };
const END_CONNECTION: Statement = {
  name: 'test.end_connection',
  text: 'SELECT pg_terminate_backend(pg_backend_pid())',
};

beforeAll(async () => {
  stack = await TestStack.start({ DATABASE_POOL_SIZE: '2' }, { worker: false });
  database = stack.database;
  await stack.sql('CREATE TABLE notes (n int CONSTRAINT pk_notes PRIMARY KEY)');
});

beforeEach(() => stack.sql('DELETE FROM notes'));

afterAll(() => stack.close());

const written = async (): Promise<number | undefined> => (await database.query<{ n: number }>(COUNT))[0]?.n;

describe('a transaction whose statements are sent without waiting', () => {
  it('is durable once it resolves, with the writes that its work did not await', async () => {
    const result = await database.transaction((tx) => {
      tx.write(INSERT, [1]);
      return tx.query<{ n: number }>(INSERT, [2]);
    });
    expect(result).toEqual([{ n: 2 }]);
    expect(await written()).toBe(2);
  });

  it('fails as a whole with the error of a write that its work did not await', async () => {
    const failing = database.transaction((tx) => {
      tx.write(INSERT, [1]);
      tx.write(INSERT, [1]);
      tx.write(INSERT, [2]);
      return Promise.resolve();
    });
    await expect(failing).rejects.toMatchObject({ constraint: 'pk_notes' });
    expect(await written()).toBe(0);
  });

  it('is not committed if its work goes on after a failed statement', async () => {
    const failing = database.transaction(async (tx) => {
      tx.write(INSERT, [1]);
      await tx.query(INSERT, [1]).catch(() => undefined);
    });
    await expect(failing).rejects.toMatchObject({ constraint: 'pk_notes' });
    expect(await written()).toBe(0);
  });

  it('is rolled back if its work throws, even while statements are in flight', async () => {
    const failing = database.transaction((tx) => {
      tx.write(INSERT, [1]);
      return Promise.reject(new Error('changed its mind'));
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await written()).toBe(0);
  });

  it('is repeated if PostgreSQL ended it because of a deadlock', async () => {
    await database.batch([INSERT, [1]], [INSERT, [2]]);
    let tries = 0;
    let meet = (): void => {};
    const met = new Promise<void>((resolve) => (meet = resolve));
    const cross = (first: number, second: number): Promise<{ n: number }[]> =>
      database.transaction(async (tx) => {
        // The repeated one could lock the row before the waiting one wakes up, which would be a second deadlock.
        if (++tries > 2) await Promise.race(crossing);
        await tx.query(LOCK, [first]);
        // Each locks its first row before either locks the other's.
        if (tries === 2) meet();
        await met;
        return tx.query<{ n: number }>(LOCK, [second]);
      });
    const crossing = [cross(1, 2), cross(2, 1)];
    expect(await Promise.all(crossing)).toEqual([[{ n: 2 }], [{ n: 1 }]]);
    expect(tries).toBe(3);
  });

  it('returns a usable connection after each kind of end', async () => {
    for (let round = 0; round < 6; round++) {
      await database.transaction((tx) => tx.query(INSERT, [round]));
      await expect(database.transaction((tx) => tx.query(INSERT, [round]))).rejects.toThrow();
    }
    expect(await written()).toBe(6);
  });

  it('fails with SERVICE_UNAVAILABLE if its connection is lost, and commits nothing', async () => {
    const failing = database.transaction((tx) => {
      tx.write(INSERT, [1]);
      tx.write(END_CONNECTION);
      tx.write(INSERT, [2]);
      return Promise.resolve();
    });
    await expect(failing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await written()).toBe(0);
  });

  it('sends a batch at once, and returns the rows of its last statement', async () => {
    const rows = await database.batch<{ n: number }>([INSERT, [1]], [INSERT, [2]], [COUNT, []]);
    expect(rows).toEqual([{ n: 2 }]);
    await expect(database.batch([INSERT, [3]], [INSERT, [3]], [COUNT, []])).rejects.toMatchObject({
      constraint: 'pk_notes',
    });
    expect(await written()).toBe(2);
  });
});
