import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, refused, type Answer, type SupplierRequest } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { keepWaits, waitsOf } from '../support/waits.js';

/** Only a supplier that never answers reaches it. */
const TIMEOUT_MS = 9_000;
/** As short as the supplier's timeout allows. */
const QUIET_MS = TIMEOUT_MS + 3_000;
/** Supplier and service have the same clock, but timers and requests are not exact. */
const EARLY_MS = 100;

let stack: TestStack;
let merchant: TestMerchant;

type Answering = (reference: string) => Answer;

/**
 * A supplier's answers about one unit: to each send, and to the inquiries after it. The last answer is repeated, because a busy
 * machine may make more inquiries than usual.
 */
type Scene = { send: Answering; inquiries: Answering[] }[];

const state =
  (status: string, more: object = {}) =>
  (reference: string): Answer => ({
    status: 200,
    body: { reference, status, ...more },
  });
const http =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  (): Answer => ({
    status,
    body,
    headers,
  });
const drop = (): Answer => 'drop';
const hang = (): Answer => 'hang';
const lost = (): Answer => neverSeen;
const outOfStock = (reference: string): Answer => refused(reference, 'OUT_OF_STOCK');

const NO_ANSWER = 'no answer in time';

/** Answers to a send that leave the unit in doubt (contract, section 8, rule 3). */
const doubts: [what: string, answer: Answering][] = [
  [NO_ANSWER, hang],
  ['a closed connection', drop],
  ['500', http(500)],
  ['500 with a body that says failed', (reference) => ({ status: 500, body: { reference, status: 'failed' } })],
  ['502', http(502, '<html>Bad Gateway</html>')],
  ['503', http(503)],
  ['504', http(504)],
  ['200 with a body that is not JSON', http(200, 'OK')],
  ['200 without a body', http(200, '')],
  ['200 with null', http(200, 'null')],
  ['200 with an array', http(200, '[]')],
  ['200 about another reference', () => bought('ord_0000000000000000.1.1')],
  ['200 about no reference', http(200, { status: 'succeeded' })],
  ['200 with a status that is none', state('done')],
  ['200 with success and failure at once', state('succeeded', { failure_code: 'OUT_OF_STOCK' })],
  ['202 with success', (reference) => ({ status: 202, body: { reference, status: 'succeeded' } })],
  ['204', http(204, '')],
  ['a redirect', http(307, {}, { location: '/v1/top-ups/elsewhere' })],
  ['400 with a body that says succeeded', (reference) => ({ status: 400, body: { reference, status: 'succeeded' } })],
  ['422 about another reference', http(422, { reference: 'ord_0000000000000000.1.1', status: 'failed' })],
  ['404 that names no unknown product', http(404, { code: 'NOT_FOUND' })],
  ['418, which the protocol does not list', http(418)],
  ['a body without end', http(200, `"${'x'.repeat(100_000)}"`)],
  ['processing', state('processing')],
];

/** Answers to an inquiry that report nothing. They must not count as "never seen". */
const unclearInquiries: [what: string, answer: Answering][] = [
  ['a closed connection', drop],
  ['500', http(500)],
  ['401', http(401)],
  ['429', http(429)],
  ['404 without the code NOT_FOUND', http(404, { message: 'no such route' })],
  ['404 with another code', http(404, { code: 'ITEM_NOT_FOUND' })],
  ['a success about another reference', () => bought('ord_0000000000000000.1.1')],
  ['no JSON', http(200, 'OK')],
  ['processing', state('processing')],
];

const NEVER_SEEN = { send: drop, inquiries: [lost] };

const scenes: Record<string, Scene> = {
  ...Object.fromEntries(doubts.map(([what, send]) => [`${what}, bought`, [{ send, inquiries: [bought] }]])),
  ...Object.fromEntries(doubts.map(([what, send]) => [`${what}, refused`, [{ send, inquiries: [outOfStock] }]])),
  ...Object.fromEntries(
    unclearInquiries.map(([what, answer]) => [`unclear: ${what}`, [{ send: drop, inquiries: [answer, bought] }]]),
  ),
  'never arrived': [NEVER_SEEN, { send: bought, inquiries: [bought] }],
  'never arrived, then refused by its body': [NEVER_SEEN, { send: outOfStock, inquiries: [bought] }],
  'never arrived, then refused by its status': [NEVER_SEEN, { send: http(422), inquiries: [bought] }],
  'never arrived, then refused to a question': [NEVER_SEEN, { send: outOfStock, inquiries: [outOfStock] }],
  'never arrived, then refused twice': [
    NEVER_SEEN,
    { send: http(422), inquiries: [lost] },
    { send: http(422), inquiries: [lost] },
  ],
  'arrived late': [{ send: drop, inquiries: [lost, bought] }],
  'never arrived, then not accepted': [NEVER_SEEN, { send: http(429), inquiries: [bought] }],
  'slow to decide': [{ send: state('processing'), inquiries: [state('processing'), bought] }],
};

const answerOf = (scene: Scene, { kind, reference }: SupplierRequest, earlier: SupplierRequest[]): Answer => {
  const kinds = earlier.map((each) => each.kind);
  const sends = kinds.filter((each) => each === 'send').length;
  if (kind === 'send') return scene[Math.min(sends, scene.length - 1)]?.send(reference) ?? 'drop';
  const { inquiries } = scene[Math.min(sends, scene.length) - 1] ?? NEVER_SEEN;
  const asked = kinds.length - 1 - kinds.lastIndexOf('send');
  return inquiries[Math.min(asked, inquiries.length - 1)]?.(reference) ?? 'drop';
};

/** The orders of all scenes. They are placed together, because each takes seconds. */
const orders = new Map<string, OrderBody>();

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_QUIET_PERIOD_MS: String(QUIET_MS) });
  await keepWaits(stack);
  await stack.addSupplier('fake', stack.supplier.url, TIMEOUT_MS);
  merchant = await stack.merchant('10000.00');
  const sku = await stack.product('35.00');
  // Its quiet period lasts for as long as the test, and so does the lease of a claim: the send comes before any inquiry.
  await stack.addSupplier('later', stack.supplier.url, 120_000);
  const later = await stack.product('35.00', { supplier: 'later' });
  const placed = Object.entries(scenes).map(async ([name, scene]) => {
    stack.supplier.script(name, (request, earlier) => answerOf(scene, request, earlier));
    const waitsForAnEnd = scene[0] === NEVER_SEEN || name.startsWith(NO_ANSWER);
    orders.set(name, await stack.order(merchant, [{ sku: waitsForAnEnd ? sku : later }], name));
  });
  await Promise.all(placed);
});

afterAll(() => closeWithBalancedBooks(stack));

/** The ended order of a scene, and the requests that the supplier got about it. */
async function ending(name: string): Promise<{ order: OrderBody; requests: SupplierRequest[]; kinds: string[] }> {
  const placed = orders.get(name);
  if (!placed) throw new Error(`there is no scene ${name}`);
  const order = await stack.orderWith(merchant, placed.reference_id, 'completed', 'failed');
  const requests = stack.supplier.about(order.order_number);
  for (const { reference } of requests) expect(reference).toBe(`${order.order_number}.1.1`);
  return { order, requests, kinds: requests.map(({ kind }) => kind) };
}

/** Each send with the inquiries after it, however many: for example `send inquiries send`. */
const stepsOf = (kinds: string[]): string =>
  kinds
    .filter((kind, index) => kind === 'send' || kinds[index - 1] === 'send')
    .map((kind) => (kind === 'send' ? kind : 'inquiries'))
    .join(' ');

/** The place of each send among the requests. */
const sendsIn = (kinds: string[]): number[] => kinds.flatMap((kind, index) => (kind === 'send' ? [index] : []));

const gapMs = (requests: SupplierRequest[], from: number, to: number): number =>
  (requests[to]?.atMs ?? NaN) - (requests[from]?.atMs ?? NaN);

/** The movements of the order's money. */
const movements = async ({ order_number }: OrderBody): Promise<string[]> =>
  (
    await stack.sql<{ kind: string }>(
      'SELECT kind FROM transfers WHERE order_id = (SELECT id FROM orders WHERE order_number = $1) ORDER BY id',
      [order_number],
    )
  ).map(({ kind }) => kind);

describe('8.3 While it is unknown whether a unit was bought', () => {
  it('its order is processing, has no failure, and its money is held', async () => {
    stack.supplier.script('in doubt', () => 'drop');
    const sku = await stack.product('35.00');
    const { reference_id, order_number } = await stack.order(merchant, [{ sku }], 'in doubt');
    const unit = `SELECT state FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`;
    await eventually(
      () => stack.sql<{ state: string }>(unit, [order_number]),
      ([first]) => first?.state === 'unknown',
    );
    const order = await stack.orderWith(merchant, reference_id, 'processing');
    expect(order).toMatchObject({ status: 'processing', failure_code: null });
    expect(order.items).toMatchObject([{ completed_quantity: 0, failed_quantity: 0, failure_code: null }]);
    expect(await movements(order)).toEqual(['order_hold']);
  });
});

describe('8.3 After a send that leaves the unit in doubt, the service queries the unit and does not send it again', () => {
  it.each(doubts)('%s; the inquiry reports success', async (what) => {
    const { order, requests, kinds } = await ending(`${what}, bought`);
    expect(order.status).toBe('completed');
    expect(stepsOf(kinds)).toBe('send inquiries');
    expect(gapMs(requests, 0, 1)).toBeGreaterThanOrEqual(2_000 - EARLY_MS);
    const [wait] = (await waitsOf(stack, order.order_number)).filter((seconds) => seconds > 0);
    // A busy machine may notice only after the lease that no answer came in time. Then the inquiry follows without a wait.
    if (what !== NO_ANSWER || wait !== undefined) expect(wait).toBe(2);
    expect(await movements(order)).toEqual(['order_hold', 'order_spend']);
  });

  it.each(doubts)('%s; the inquiry reports a refusal', async (what) => {
    const { order, kinds } = await ending(`${what}, refused`);
    expect(order).toMatchObject({ status: 'failed', failure_code: 'OUT_OF_STOCK' });
    expect(stepsOf(kinds)).toBe('send inquiries');
    expect(await movements(order)).toEqual(['order_hold', 'order_refund']);
  });
});

describe('8.3 An inquiry that reports nothing is repeated, and the unit is not sent again', () => {
  it.each(unclearInquiries)('%s', async (what) => {
    const { order, kinds } = await ending(`unclear: ${what}`);
    expect(order.status).toBe('completed');
    expect(stepsOf(kinds)).toBe('send inquiries');
    expect(kinds.length).toBeGreaterThan(2);
  });

  it('after 2 s, then after 4 s', async () => {
    const { order, requests } = await ending('slow to decide');
    expect(gapMs(requests, 0, 1)).toBeGreaterThanOrEqual(2_000 - EARLY_MS);
    expect(gapMs(requests, 1, 2)).toBeGreaterThanOrEqual(4_000 - EARLY_MS);
    const waits = (await waitsOf(stack, order.order_number)).filter((seconds) => seconds > 0);
    expect(waits.slice(0, 2)).toEqual([2, 4]);
  });
});

describe('8.3 A reference that the supplier never saw', () => {
  it('is sent again, under the same reference, once the quiet period is over', async () => {
    const { order, requests, kinds } = await ending('never arrived');
    expect(order.status).toBe('completed');
    // The first inquiry comes before the end of the quiet period: it must not lead to a send.
    expect(stepsOf(kinds)).toBe('send inquiries send');
    const [first = NaN, second = NaN] = sendsIn(kinds);
    expect(gapMs(requests, first, second)).toBeGreaterThanOrEqual(QUIET_MS);
    expect(requests[second]?.body).toEqual(requests[first]?.body);
    expect(await movements(order)).toEqual(['order_hold', 'order_spend']);
  });

  it.each(['body', 'status'])('is not refunded if the second send is refused in its %s', async (by) => {
    const { order, kinds } = await ending(`never arrived, then refused by its ${by}`);
    // The first send may have bought the unit meanwhile: a supplier may check its stock before it looks up the reference.
    expect(order.status).toBe('completed');
    expect(stepsOf(kinds)).toBe('send inquiries send inquiries');
    expect(await movements(order)).toEqual(['order_hold', 'order_spend']);
  });

  it('is refunded if a later inquiry reports the refusal', async () => {
    const { order, kinds } = await ending('never arrived, then refused to a question');
    expect(order).toMatchObject({ status: 'failed', failure_code: 'OUT_OF_STOCK' });
    expect(stepsOf(kinds)).toBe('send inquiries send inquiries');
    expect(await movements(order)).toEqual(['order_hold', 'order_refund']);
  });

  it('is refunded if a third send is refused, too, after a quiet period in which the supplier saw no send', async () => {
    const { order, requests, kinds } = await ending('never arrived, then refused twice');
    expect(order).toMatchObject({ status: 'failed', failure_code: 'SUPPLIER_REJECTED' });
    expect(stepsOf(kinds)).toBe('send inquiries send inquiries send');
    const [, second = NaN, third = NaN] = sendsIn(kinds);
    expect(gapMs(requests, second, third)).toBeGreaterThanOrEqual(QUIET_MS);
    expect(await movements(order)).toEqual(['order_hold', 'order_refund']);
  });

  it('is not sent again if a later inquiry finds it', async () => {
    const { order, kinds } = await ending('arrived late');
    expect(order.status).toBe('completed');
    expect(stepsOf(kinds)).toBe('send inquiries');
    expect(kinds.length).toBeGreaterThan(2);
  });

  it('stays in doubt if the second send is not accepted, because the first one may still arrive', async () => {
    const { order, kinds } = await ending('never arrived, then not accepted');
    expect(order.status).toBe('completed');
    expect(stepsOf(kinds)).toBe('send inquiries send inquiries');
  });
});
