import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { TestStack } from '../support/stack.js';

describe('behind a pooler that does not keep sessions', () => {
  const stacks: Record<'true' | 'false', TestStack | undefined> = { true: undefined, false: undefined };

  beforeAll(async () => {
    for (const prepared of ['true', 'false'] as const)
      stacks[prepared] = await TestStack.start({ DATABASE_PREPARED_STATEMENTS: prepared });
  });

  afterAll(async () => {
    for (const stack of Object.values(stacks)) await stack?.close();
  });

  /** The number of prepared statements of a connection of the pool, after an order. */
  async function statementsAfterAnOrder(stack: TestStack | undefined): Promise<number> {
    if (!stack) throw new Error('the stack did not start');
    const merchant = await stack.merchant();
    const { reference_id } = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    await stack.orderWith(merchant, reference_id, 'completed');
    const [row] = await stack.sql<{ held: number }>('SELECT count(*)::int AS held FROM pg_prepared_statements');
    return row?.held ?? NaN;
  }

  it('the service leaves no prepared statement on a connection, and still works', async () => {
    expect(await statementsAfterAnOrder(stacks.false)).toBe(0);
  });

  it('otherwise, the service prepares each statement once for each connection', async () => {
    // The pool may have a connection that prepared nothing yet.
    await eventually(
      () => statementsAfterAnOrder(stacks.true),
      (held) => held > 0,
    );
  });
});
