import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dayOf } from '../../console/src/i18n/moments.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import type { ErrorBody } from '../support/http.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { PASSWORD, type Browser, type TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface MovedBody {
  moved: boolean;
  at: string;
  operator: string;
  wallet: { available_amount: string; alert_below: string | null; is_low: boolean };
}
interface EntriesBody {
  data: {
    kind: string;
    amount: string;
    reference_id: string;
    note: string | null;
    operator: string | null;
  }[];
  next_cursor: string | null;
}
type Answer = Promise<{ status: number; body: MovedBody & ErrorBody }>;

let scene: Scene;
let finance: TestOperator;
let merchant: TestMerchant;
beforeAll(async () => {
  scene = await startScene();
  finance = await scene.console.signedIn('finance');
});
beforeEach(async () => {
  merchant = await scene.stack.merchant('100.00');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const move = (browser: Browser, kind: 'credits' | 'debits', body: object): Answer =>
  browser.post(`/api/merchants/${merchant.id}/${kind}`, body);

const credit = (body: object, { browser } = finance): Answer =>
  move(browser, 'credits', { amount: '50.00', reference: 'bank-1', ...body });

const available = async (): Promise<string> => (await scene.stack.wallet(merchant)).available;

const logged = (): Promise<{ action: string; operator: string; detail: object }[]> =>
  scene.console.sql(
    'SELECT action, operator, detail FROM operator_actions WHERE merchant_id = $1 AND source = $2 ORDER BY id',
    [merchant.id, 'console'],
  );

describe('a deposit', () => {
  it('is in the statement and in the audit log, with operator and reason', async () => {
    const { status, body } = await credit({ note: 'Monday’s transfer', expected_available: '100.00' });
    expect([status, body]).toMatchObject([
      200,
      { moved: true, operator: finance.email, wallet: { available_amount: '150.00' } },
    ]);
    const path = `/api/merchants/${merchant.id}/entries`;
    const { body: entries } = await finance.browser.get<EntriesBody>(`${path}?limit=1`);
    expect(entries.data).toMatchObject([
      {
        kind: 'credit',
        amount: '50.00',
        reference_id: 'bank-1',
        note: 'Monday’s transfer',
        operator: finance.email,
      },
    ]);
    expect(await logged()).toMatchObject([
      { action: 'wallet.credit', operator: finance.email, detail: { amount: '50.00', reference: 'bank-1' } },
    ]);
  });

  it('is one movement after a double click, from two tabs, and with a repeated request', async () => {
    const body = { expected_available: '100.00' };
    const answers = await Promise.all([credit(body), credit(body), credit(body), credit(body)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(({ body: { moved } }) => moved)).toHaveLength(1);
    const again = await credit(body);
    expect(again.body).toMatchObject({ moved: false, operator: finance.email });
    expect(new Set([...answers, again].map(({ body: { at } }) => at)).size).toBe(1);
    expect(await available()).toBe('150.00');
    expect(await logged()).toHaveLength(1);
  });

  it('by two people who saw the same balance is one movement, and the other person sees the change', async () => {
    const other = await scene.console.signedIn('admin');
    const answers = await Promise.all([
      credit({ reference: 'bank-1', expected_available: '100.00' }),
      credit({ reference: 'Bank 1', expected_available: '100.00' }, other),
    ]);
    expect(answers.map(({ status }) => status).sort((one, two) => one - two)).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      message: `merchant ${merchant.id} has 150.00 THB available now, not 100.00: nothing was moved`,
      details: [{ field: 'expected_available', code: 'CHANGED_MEANWHILE' }],
    });
    expect(await available()).toBe('150.00');
    expect(await logged()).toHaveLength(1);
  });

  it('under a reference that was used for another amount is refused', async () => {
    await credit({});
    const { status, body } = await credit({ amount: '51.00' });
    expect([status, body.message]).toEqual([409, 'reference bank-1 was already used for a credit of 50.00 THB']);
    expect((await move(finance.browser, 'debits', { amount: '50.00', reference: 'bank-1' })).status).toBe(409);
    expect(await available()).toBe('150.00');
  });

  it.each([
    ['no reference', { reference: undefined }],
    ['a blank reference', { reference: ' ' }],
    ['no amount', { amount: '0.00' }],
    ['a negative amount', { amount: '-5.00' }],
    ['three digits', { amount: '1.005' }],
    ['a number', { amount: 5 }],
    ['no known balance', { expected_available: 'much' }],
    ['another member', { currency: 'USD' }],
  ])('with %s is refused before the wallet is read', async (_what, body) => {
    expect((await credit(body)).status).toBe(400);
    expect(await available()).toBe('100.00');
    expect(await logged()).toEqual([]);
  });

  it('must be confirmed again ten minutes after the last confirmation, and moves nothing before', async () => {
    const operator = await scene.console.signedIn('finance');
    await scene.console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [operator.id],
    );
    for (const kind of ['credits', 'debits'] as const) {
      const { status, body } = await move(operator.browser, kind, { amount: '5.00', reference: kind });
      expect([status, body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    }
    expect(await available()).toBe('100.00');
    await operator.browser.post('/api/session/confirm', { password: PASSWORD });
    expect((await credit({}, operator)).body.moved).toBe(true);
  });
});

describe('a debit', () => {
  it('takes at most the available balance', async () => {
    const { status, body } = await move(finance.browser, 'debits', { amount: '100.01', reference: 'out-1' });
    expect([status, body.message]).toEqual([409, `merchant ${merchant.id} has only 100.00 THB available`]);
    const all = await move(finance.browser, 'debits', { amount: '100.00', reference: 'out-1' });
    expect(all.body.wallet.available_amount).toBe('0.00');
    expect(await logged()).toMatchObject([{ action: 'wallet.debit' }]);
  });

  it('by two people at once never takes more than the available balance', async () => {
    const other = await scene.console.signedIn('finance');
    const answers = await Promise.all(
      [finance, other, finance, other].map(({ browser }, index) =>
        move(browser, 'debits', { amount: '60.00', reference: `out-${index}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await available()).toBe('40.00');
  });
});

describe('an alert', () => {
  it('is set and removed, and shows whether the balance is below it', async () => {
    const path = `/api/merchants/${merchant.id}/alert`;
    const set = await finance.browser.send<MovedBody['wallet']>('PUT', path, { below: '100.01' });
    expect(set.body).toMatchObject({ alert_below: '100.01', is_low: true });
    const low = await finance.browser.get<{ data: { id: number }[] }>('/api/merchants?low=true');
    expect(low.body.data.map(({ id }) => id)).toEqual([merchant.id]);
    expect((await finance.browser.send('PUT', path, { below: '0.00' })).status).toBe(400);
    const off = await finance.browser.send<MovedBody['wallet']>('DELETE', path);
    expect(off.body).toMatchObject({ alert_below: null, is_low: false });
    expect((await logged()).map(({ action }) => action)).toEqual(['merchant.set_alert', 'merchant.set_alert']);
  });
});

describe('the statement', () => {
  it('has pages, of all movements or only those of operators', async () => {
    const { stack, sku } = scene;
    const order = await stack.order(merchant, [{ sku }]);
    await credit({});
    const path = `/api/merchants/${merchant.id}/entries`;
    const kinds: string[] = [];
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await finance.browser.get<EntriesBody>(`${path}?limit=1${from}`);
      kinds.push(...body.data.map(({ kind }) => kind));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(kinds).toEqual(['credit', 'order_hold', 'credit']);
    const funding = await finance.browser.get<EntriesBody>(`${path}?kind=funding&limit=1`);
    expect(funding.body.data).toMatchObject([{ kind: 'credit', reference_id: 'bank-1' }]);
    const rest = await finance.browser.get<EntriesBody>(`${path}?kind=funding&cursor=${funding.body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ kind: 'credit', amount: '100.00' }], next_cursor: null });
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('is exported as CSV for a period, with an entry in the audit log, and without spreadsheet formulas', async () => {
    const reference = unique('=cmd');
    await credit({ reference, note: '@SUM(A1)' });
    const { status, headers, body } = await finance.browser.get<string>(
      `/api/merchants/${merchant.id}/entries.csv?from=2020-01-01T00:00:00Z`,
    );
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const lines = body.split('\n');
    expect(lines[0]).toMatch(/^(\uFEFF)?id,created_at,kind,amount,available_amount_after,reference_id/);
    expect(lines[1]).toContain(`,credit,50.00,150.00,'${reference},,'@SUM(A1),${finance.email}`);
    expect(lines[2]).toContain(',credit,100.00,100.00,');
    // The entry is written after the last line was sent.
    const entries = await eventually(logged, (log) => log.at(-1)?.action === 'export.run');
    expect(entries.at(-1)).toMatchObject({
      action: 'export.run',
      detail: { list: 'entries', lines: 2, filter: { from: '2020-01-01T00:00:00Z' } },
    });
    const empty = await finance.browser.get<string>(
      `/api/merchants/${merchant.id}/entries.csv?to=2020-01-01T00:00:00Z`,
    );
    expect(empty.body.trim().split('\n')).toHaveLength(1);
  });
});

describe('the statement of a month', () => {
  const month = dayOf(new Date(), 'Asia/Bangkok').slice(0, 7);
  const statement = (format: 'html' | 'csv', of = month) =>
    finance.browser.get<string>(`/api/merchants/${merchant.id}/statement.${format}?month=${of}`);

  it('is a page to print with a line for each order, which may load and run nothing', async () => {
    const { stack, sku } = scene;
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const { status, headers, body } = await statement('html');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(body.split(order.order_number)).toHaveLength(2);
    expect(body).toMatch(/ยอดคงเหลือ <small lang="en">Closing balance<\/small><\/td><td class="number">65\.00</);
  });

  it('is also CSV, and stands in the audit log', async () => {
    const { headers, body } = await statement('csv');
    expect(headers.get('content-disposition')).toBe('attachment');
    const lines = body.split('\n');
    expect(lines[0]).toBe('date,kind,order_number,reference_id,ordered_amount,refunded_amount,amount');
    expect(lines[1]).toBe(',opening,,,,,0.00');
    expect(lines[2]).toContain(',deposit,,');
    expect((await logged()).at(-1)).toMatchObject({
      action: 'export.run',
      detail: { list: 'statement', lines: 1, filter: { month, format: 'csv' } },
    });
  });

  it('is refused for a month that has not begun, and for what is not a month', async () => {
    expect([(await statement('html', '2199-01')).status, (await statement('csv', '2026-13')).status]).toEqual([
      400, 400,
    ]);
  });
});
