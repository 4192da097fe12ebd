import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PAGE_OF_MERCHANT } from '../../src/catalog/prices.repository.js';
import type { Statement } from '../../src/database/database.js';
import { READ_DAYS, READ_TODAY } from '../../src/accounting/reports/merchant-stats.repository.js';
import { LATEST, LATEST_CREDITS_AND_DEBITS } from '../../src/accounting/reports/statement.repository.js';
import { ConsoleStack } from './console-stack.js';

let stack: ConsoleStack;
beforeAll(async () => {
  stack = await ConsoleStack.start();
});
afterAll(() => stack.close());

/** Each statement of the merchants' pages, with the indexes that it must use, in their order. */
const STATEMENTS: [string, Statement, string[]][] = [
  ['orders of today', READ_TODAY, ['ix_orders_failed', 'ix_orders_newest']],
  ['orders of thirty days', READ_DAYS, ['ix_orders_failed', 'ix_orders_newest']],
  ['the statement', LATEST, ['ix_transfers_statement']],
  ['deposits and withdrawals', LATEST_CREDITS_AND_DEBITS, ['uq_transfers_reference']],
  ['prices', PAGE_OF_MERCHANT, ['uq_products_sku']],
];

describe('the pages of merchants', () => {
  it.each(STATEMENTS)('find %s by index', async (_what, { text }, indexes) => {
    // Also in an empty database, because a new installation keeps that plan until PostgreSQL analyzes the table.
    const rows = await stack.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on (orders|transfers|products)/);
    expect([...new Set(plan.match(/\b(ix_orders|ix_transfers|uq_transfers|uq_products)_\w+/g))].sort()).toEqual(
      indexes,
    );
  });
});
