import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer } from '../support/fake-supplier.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

/** The worker's connections see another clock than PostgreSQL's, which the test sets. */
beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  await stack.sql('CREATE SCHEMA clock');
  await stack.sql(`CREATE TABLE clock.ahead AS SELECT '0'::interval AS by`);
  await stack.sql(`CREATE FUNCTION clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
                   AS 'SELECT pg_catalog.statement_timestamp() + by FROM clock.ahead'`);
  await stack.sql(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = clock, pg_catalog, public', current_database()); END $$`);
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
  await stack.startWorker();
  await eventually(
    () => stack.sql('SELECT FROM worker_processes'),
    ({ length }) => length === 1,
  );
});

afterAll(() => closeWithBalancedBooks(stack));

const setForward = (by: string): Promise<object[]> =>
  stack.sql(`UPDATE clock.ahead SET by = by + $1::interval`, [by]);

describe('8.3 While the clock of PostgreSQL is set forward', () => {
  it('what is under way is asked about, and not sent again: its quiet period has not ended', async () => {
    const first = deferred<Answer>();
    stack.supplier.script('under way', ({ kind, reference }, { length }) => {
      if (length === 0) return first.promise;
      return kind === 'send' ? bought(reference) : neverSeen;
    });
    const order = await stack.order(merchant, [{ sku }], 'under way');
    const kinds = (): string[] => stack.supplier.about(order.order_number).map(({ kind }) => kind);
    await eventually(kinds, ({ length }) => length === 1);
    await setForward('45 seconds');
    await eventually(kinds, ({ length }) => length >= 3);
    expect(kinds()).toEqual(['send', 'inquiry', 'inquiry']);
    first.resolve(bought(`${order.order_number}.1.1`));
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(kinds().filter((kind) => kind === 'send')).toHaveLength(1);
  });
});
