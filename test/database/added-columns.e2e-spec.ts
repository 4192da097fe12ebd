import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

// The migrations of a newer version add columns while processes of this version go on. Their connections have prepared statements
// whose results have such a column now, which PostgreSQL refuses to execute.

const AT_ONCE = 10;

let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start({ DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0' }, { worker: false });
  merchant = await stack.sandboxMerchant('0.00');
});
afterAll(() => stack.close());

const addColumn = (): Promise<unknown> =>
  stack.sql(`ALTER TABLE deposits ADD COLUMN ${unique('later').replaceAll('-', '_')} int`);

/** Runs a request on several connections. @returns the statuses of the answers. */
const statusesOf = async (send: () => Promise<{ status: number }>): Promise<number[]> =>
  (await Promise.all(Array.from({ length: AT_ONCE }, send))).map(({ status }) => status);

const create = (): Promise<{ status: number }> =>
  merchant.client.post('/v1/deposits', { reference_id: unique('deposit'), amount: '1000.00' });

describe('after a newer version has added a column', () => {
  it('statements run as before', async () => {
    const reference = unique('deposit');
    await merchant.client.post('/v1/deposits', { reference_id: reference, amount: '1000.00' });
    const get = (): Promise<{ status: number }> => merchant.client.get(`/v1/deposits/${reference}`);
    expect(await statusesOf(get)).toEqual(Array(AT_ONCE).fill(200));
    await addColumn();
    expect(await statusesOf(get)).toEqual(Array(AT_ONCE).fill(200));
  });

  it('transactions run as before', async () => {
    expect(await statusesOf(create)).toEqual(Array(AT_ONCE).fill(200));
    await addColumn();
    expect(await statusesOf(create)).toEqual(Array(AT_ONCE).fill(200));
  });
});
