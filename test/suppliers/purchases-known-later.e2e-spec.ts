import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PurchaseWatchService } from '../../src/fulfilment/reconciliation/purchase-watch.service.js';
import { CLOSING_LOCK } from '../../src/fulfilment/reconciliation/unknown-purchases.repository.js';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, refused, type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

interface Case {
  id: number;
  reference: string | null;
  status: string;
  detail: string;
}

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_PURCHASES_INTERVAL_MS: '0' }, { worker: false });
  const worker = await stack.startWorker();
  // The worker's own task would close discrepancies before a test does, about once in a minute.
  Object.assign(worker.get(PurchaseWatchService), { closeBought: () => Promise.resolve([]) });
  const { DATABASE_URL, secretsKey } = stack.config;
  commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
  merchant = await stack.merchant();
});

afterAll(() => closeWithBalancedBooks(stack));

/** The supplier's answers about the unit's attempts. */
type Answers = Record<'first' | 'later', (reference: string) => Answer>;

const soldOut = (reference: string): Answer => refused(reference, 'OUT_OF_STOCK');
const processing = (reference: string): Answer => ({
  status: 200,
  body: { reference, status: 'processing' },
});

/**
 * An open unit as after a restore from a backup: it is at its first attempt, and its supplier lists a sold second one.
 * @param theirs the supplier's reference of the second attempt.
 */
async function openUnit(theirs?: string): Promise<{ order: OrderBody; later: string; answers: Answers }> {
  const sku = await stack.product('35.00');
  await commandLine.json(
    'offer',
    'set',
    '--sku',
    sku,
    '--supplier',
    'fake',
    '--supplier-sku',
    `${sku}-2`,
    '--priority',
    '2',
  );
  const user = unique('player');
  const answers: Answers = { first: processing, later: processing };
  stack.supplier.script(user, ({ reference }) => answers[reference.endsWith('.1.1.2') ? 'later' : 'first'](reference));
  const order = await stack.order(merchant, [{ sku }], user);
  await stack.orderWith(merchant, order.reference_id, 'processing');
  const later = `${order.order_number}.1.1.2`;
  stack.supplier.purchases = () => ({
    status: 200,
    body: {
      data: [{ reference: later, status: 'succeeded', supplier_reference: theirs }],
      next_cursor: null,
    },
  });
  await commandLine.run('report', 'supplier', '--supplier', 'fake');
  return { order, later, answers };
}

const caseOf = async (reference: string): Promise<Case | undefined> =>
  (await commandLine.json<Case[]>('reversal', 'list')).find((each) => each.reference === reference);
const closeBought = (): Promise<number[]> => stack.api.get(PurchaseWatchService).closeBought();

/** Waits until the unit has the attempt that the supplier listed. */
const untilSent = (reference: string): Promise<unknown> =>
  eventually(
    () => stack.sql('SELECT FROM unit_attempts WHERE reference = $1', [reference]),
    ({ length }) => length === 1,
  );

describe('the discrepancy of a purchase whose attempt the books do not have yet', () => {
  it('stays open while the unit is open, and is closed once the unit has this purchase', async () => {
    const { order, later, answers } = await openUnit();
    expect(await closeBought()).toEqual([]);
    answers.first = soldOut;
    await untilSent(later);
    expect(await closeBought()).toEqual([]);
    expect(await caseOf(later)).toMatchObject({ status: 'open', detail: 'listed: succeeded' });
    answers.later = bought;
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const found = await caseOf(later);
    expect(await closeBought()).toEqual([found?.id]);
    expect(await caseOf(later)).toMatchObject({
      status: 'closed',
      detail: 'listed: succeeded; closed automatically: a unit of an order has this purchase',
    });
    expect(await closeBought()).toEqual([]);
  });

  it('stays open if the unit gets another purchase under the same reference', async () => {
    const { order, later, answers } = await openUnit('S-forgotten');
    Object.assign(answers, { first: soldOut, later: bought });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(await closeBought()).toEqual([]);
    const found = await caseOf(later);
    expect(found).toMatchObject({ status: 'open' });
    await stack.sql(`UPDATE supplier_reversals SET supplier_reference = $2 WHERE id = $1`, [found?.id, `S-${later}`]);
    expect(await closeBought()).toEqual([found?.id]);
  });

  it('is closed even if the supplier changed its own reference once the purchase was done', async () => {
    const { order, later, answers } = await openUnit('P-later');
    const named = { status: 'processing', supplier_reference: 'P-later' };
    Object.assign(answers, {
      first: soldOut,
      later: (reference: string): Answer => ({ status: 200, body: { reference, ...named } }),
    });
    await eventually(
      () => stack.sql(`SELECT FROM unit_attempts WHERE supplier_reference = 'P-later'`),
      ({ length }) => length === 1,
    );
    answers.later = bought;
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(await closeBought()).toEqual([(await caseOf(later))?.id]);
  });

  it('stays open if the unit fails, because the purchase has no order', async () => {
    const { order, later, answers } = await openUnit();
    Object.assign(answers, { first: soldOut, later: soldOut });
    await stack.orderWith(merchant, order.reference_id, 'failed');
    await untilSent(later);
    expect(await closeBought()).toEqual([]);
    const found = await caseOf(later);
    expect(found).toMatchObject({ status: 'open' });
    await commandLine.json('reversal', 'close', `${found?.id}`, '--reason', 'end of the test');
  });

  it('is checked in batches of a thousand, which start again after the last one', async () => {
    const fillers = await stack.sql<{ id: number }>(`
      INSERT INTO supplier_reversals (supplier_id, kind, attempt, reference, created_at)
      SELECT id, 'unknown_purchase', NULL, 'filler-' || n, now() FROM suppliers, generate_series(1, 1000) n WHERE code = 'fake'
      RETURNING id`);
    const { order, later, answers } = await openUnit();
    Object.assign(answers, { first: soldOut, later: bought });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const found = await caseOf(later);
    expect(await closeBought()).toEqual([]);
    expect(await closeBought()).toEqual([found?.id]);
    const [first] = fillers;
    const rename = (id: number | undefined, reference: string): Promise<unknown> =>
      stack.sql(`UPDATE supplier_reversals SET reference = $2 WHERE id = $1`, [id, reference]);
    await rename(found?.id, 'filler-0');
    await rename(first?.id, later);
    expect(await closeBought()).toEqual([first?.id]);
    await stack.sql(`DELETE FROM supplier_reversals WHERE reference LIKE 'filler-%'`);
    expect(await closeBought()).toEqual([]);
  });

  it('is checked by one worker at a time', async () => {
    const { order, later, answers } = await openUnit();
    Object.assign(answers, { first: soldOut, later: bought });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const found = await caseOf(later);
    const other = new pg.Client(stack.config.DATABASE_URL);
    await other.connect();
    await other.query(`SELECT pg_advisory_lock(${CLOSING_LOCK})`);
    expect(await closeBought()).toEqual([]);
    await other.end();
    await eventually(closeBought, ([closed]) => closed === found?.id);
  });
});
