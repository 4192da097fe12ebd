import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MerchantsService } from '../../src/merchants/merchants.service.js';
import { eventually } from '../support/eventually.js';
import { ConsoleStack, type Browser, type TestOperator } from './console-stack.js';

interface Entry {
  id: number;
  at: string;
  operator: string;
  source: string;
  ip: string | null;
  request_id: string | null;
  action: string;
  merchant: { id: number; name: string } | null;
  order_number: string | null;
  reason: string | null;
  detail: Record<string, unknown>;
}

interface Page {
  data: Entry[];
  next_cursor: string | null;
}

let console: ConsoleStack;
let admin: TestOperator;
let support: TestOperator;
let merchantId: number;

beforeAll(async () => {
  console = await ConsoleStack.start();
  admin = await console.signedIn('admin');
  support = await console.signedIn('support');
  const merchants = console.app.get(MerchantsService);
  const malee = { operator: 'malee', reason: 'new customer' };
  ({ id: merchantId } = await merchants.create('=Shop', malee));
  await console.operators.setRole(support.email, 'support', { operator: 'malee' });
});
afterAll(() => console.close());

const page = async (query = '', { browser }: { browser: Browser } = admin): Promise<Page> => {
  const { status, body } = await browser.get<Page>(`/api/log${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
};

describe('the audit log', () => {
  it('has time, operator, origin, action, object and reason, newest first', async () => {
    const { data } = await page();
    const ids = data.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((one, other) => other - one));
    expect(data.find(({ action }) => action === 'merchant.create')).toMatchObject({
      operator: 'malee',
      source: 'cli',
      ip: null,
      request_id: null,
      merchant: { id: merchantId, name: '=Shop' },
      order_number: null,
      reason: 'new customer',
    });
    expect(data.find(({ action }) => action === 'operator.set_role')).toMatchObject({
      detail: { operator: support.email, role: 'support', role_before: 'support' },
    });
    const signIn = data.find(({ action, operator }) => [action, operator].join() === `session.sign_in,${admin.email}`);
    expect(signIn).toMatchObject({ source: 'console', ip: admin.browser.address });
    expect(signIn?.request_id).toEqual(expect.any(String));
  });

  it('has pages without gaps or repeats', async () => {
    const all = (await page()).data.map(({ id }) => id);
    const found: number[] = [];
    let query = '?limit=2';
    for (;;) {
      const { data, next_cursor } = await page(query);
      found.push(...data.map(({ id }) => id));
      if (next_cursor === null) break;
      query = `?limit=2&cursor=${next_cursor}`;
    }
    expect(found).toEqual(all);
  });

  it('is filtered by operator, origin, action, merchant, order and time', async () => {
    const { data: all } = await page();
    const of = async (query: string): Promise<number[]> => (await page(query)).data.map(({ id }) => id);
    const where = (test: (entry: Entry) => boolean): number[] => all.filter(test).map(({ id }) => id);
    expect(await of('?operator=malee')).toEqual(where(({ operator }) => operator === 'malee'));
    expect(await of('?source=console')).toEqual(where(({ source }) => source === 'console'));
    expect(await of('?action=session.sign_in')).toEqual(where(({ action }) => action === 'session.sign_in'));
    expect(await of(`?merchant=${merchantId}`)).toEqual(where(({ merchant }) => merchant?.id === merchantId));
    expect(await of('?order=ord_0000000000000000')).toEqual([]);
    const middle = all[2]?.at ?? '';
    expect([...(await of(`?from=${middle}`)), ...(await of(`?to=${middle}`))]).toEqual(all.map(({ id }) => id));
    expect(await of('?to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await of('?from=2100-01-01T00:00:00Z')).toEqual([]);
    for (const wrong of [
      '?action=none',
      '?source=post',
      '?merchant=x',
      '?cursor=x',
      '?from=2100-01-01T00:00:00Z&to=2000-01-01T00:00:00Z',
    ])
      expect([wrong, (await admin.browser.get(`/api/log${wrong}`)).status]).toEqual([wrong, 400]);
  });

  it('shows the support role only its own entries, with any filter', async () => {
    const own = (await page()).data.filter(({ operator }) => operator === support.email);
    expect((await page('', support)).data.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    expect((await page(`?operator=${admin.email}`, support)).data).toEqual([]);
    expect((await page('?operator=malee', support)).data).toEqual([]);
    // The command line accepts any operator's name.
    await console.app.get(MerchantsService).create('Other', { operator: support.email });
    expect((await page('', support)).data.map(({ action }) => action)).not.toContain('merchant.create');
    const csv = await support.browser.get<string>('/api/log.csv');
    expect(csv.body).toContain('session.sign_in');
    expect(csv.body).not.toContain('merchant.create');
  });

  it('is exported as CSV with its filters, which is an entry in it', async () => {
    const { status, body, headers } = await admin.browser.get<string>('/api/log.csv?operator=malee');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head, ...lines] = body.trimEnd().split('\n');
    expect(head).toBe(
      'id,at,operator,source,ip,action,merchant_id,merchant,order_number,reference,reason,detail,request_id',
    );
    expect(lines).toHaveLength(2);
    expect(body).toContain(`,'=Shop,`);
    // The entry is written after the last line was sent.
    const entry = await eventually(
      async () => (await page('?action=export.run')).data.find(({ operator }) => operator === admin.email),
      (found) => found !== undefined,
    );
    expect(entry).toMatchObject({
      detail: { list: 'log', filter: { operator: 'malee' }, lines: 2 },
    });
  });
});
