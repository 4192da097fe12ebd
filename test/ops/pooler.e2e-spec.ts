import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestStack } from '../support/stack.js';

describe('behind a pooler that keeps nothing of a session', () => {
  const stacks: Record<'true' | 'false', TestStack | undefined> = { true: undefined, false: undefined };

  beforeAll(async () => {
    for (const prepared of ['true', 'false'] as const)
      stacks[prepared] = await TestStack.start({ DATABASE_PREPARED_STATEMENTS: prepared });
  });

  afterAll(async () => {
    for (const stack of Object.values(stacks)) await stack?.close();
  });

  /** How many statements the connection holds that the pool gives next, after an order. */
  async function statementsAfterAnOrder(stack: TestStack | undefined): Promise<number> {
    if (!stack) throw new Error('the stack did not start');
    const merchant = await stack.merchant();
    const { reference_id } = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    await stack.orderWith(merchant, reference_id, 'completed');
    const [row] = await stack.sql<{ held: number }>('SELECT count(*)::int AS held FROM pg_prepared_statements');
    return row?.held ?? NaN;
  }

  it('leaves no prepared statement on a connection, and still does its work', async () => {
    expect(await statementsAfterAnOrder(stacks.false)).toBe(0);
  });

  it('prepares each statement once for each connection otherwise', async () => {
    expect(await statementsAfterAnOrder(stacks.true)).toBeGreaterThan(0);
  });
});
