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
  stack = await TestStack.start({ SUPPLIER_PURCHASES_INTERVAL_MS: '0' });
  const { DATABASE_URL, secretsKey } = stack.config;
  commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
  merchant = await stack.merchant();
});

afterAll(() => closeWithBalancedBooks(stack));

/** What the supplier says of the unit's attempts. */
type Answers = Record<'first' | 'later', (reference: string) => Answer>;

const soldOut = (reference: string): Answer => refused(reference, 'OUT_OF_STOCK');
const processing = (reference: string): Answer => ({
  status: 200,
  body: { reference, status: 'processing' },
});

/**
 * As after a restore: a unit is open at its first attempt, and its supplier lists a second one that it sold.
 * @param theirs what the supplier calls that.
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

/** Until the unit has come to the attempt that the supplier listed. */
const untilSent = (reference: string): Promise<unknown> =>
  eventually(
    () => stack.sql('SELECT FROM unit_attempts WHERE reference = $1', [reference]),
    ({ length }) => length === 1,
  );

describe('the case of a purchase under a later attempt than the books know of', () => {
  it('stays open while the unit is, and closes itself once the unit was given that purchase', async () => {
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
      detail: 'listed: succeeded; closed by itself: it is what an order was given',
    });
    expect(await closeBought()).toEqual([]);
  });

  it('stays open where the unit was given another purchase under the same reference', async () => {
    const { order, later, answers } = await openUnit('S-forgotten');
    Object.assign(answers, { first: soldOut, later: bought });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(await closeBought()).toEqual([]);
    const found = await caseOf(later);
    expect(found).toMatchObject({ status: 'open' });
    await stack.sql(`UPDATE supplier_reversals SET supplier_reference = $2 WHERE id = $1`, [found?.id, `S-${later}`]);
    expect(await closeBought()).toEqual([found?.id]);
  });

  it('closes itself where the supplier called the purchase so while it was under way, and otherwise once it was done', async () => {
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

  it('stays open where the unit failed: it was bought, and its price was returned', async () => {
    const { order, later, answers } = await openUnit();
    Object.assign(answers, { first: soldOut, later: soldOut });
    await stack.orderWith(merchant, order.reference_id, 'failed');
    await untilSent(later);
    expect(await closeBought()).toEqual([]);
    const found = await caseOf(later);
    expect(found).toMatchObject({ status: 'open' });
    await commandLine.json('reversal', 'close', `${found?.id}`, '--reason', 'end of the test');
  });

  it('is looked at once those before it were, and those are again, a thousand at a time', async () => {
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

  it('is looked at by one worker at a time', async () => {
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
