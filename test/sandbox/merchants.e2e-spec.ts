import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProductsService } from '../../src/catalog/products.service.js';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import { FakeValidator, known } from '../support/fake-validator.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

interface Wallet {
  currency: string;
  available_amount: string;
  held_amount: string;
  updated_at: string;
}

const validator = new FakeValidator();
let stack: TestStack;
let commandLine: CommandLine;
let tester: TestMerchant;
let shop: TestMerchant;

beforeAll(async () => {
  await validator.listen();
  stack = await TestStack.start({ G2BULK_BASE_URL: `${validator.url}/` }, { worker: false });
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  [tester, shop] = [await stack.sandboxMerchant('0.00'), await stack.merchant('0.00')];
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await validator.close();
});

describe('topup merchant create --sandbox', () => {
  it('creates a merchant that is marked in all views', async () => {
    const created = await commandLine.json<{ id: number }>('merchant', 'create', '--name', 'Trial', '--sandbox');
    expect(created).toMatchObject({ name: 'Trial', status: 'active', sandbox: true });
    expect(await commandLine.json('merchant', 'show', String(created.id))).toMatchObject({ sandbox: true });
    const live = await commandLine.json<{ id: number }>('merchant', 'create', '--name', 'Real');
    expect(live).toMatchObject({ sandbox: false });
    const listed = await commandLine.json<{ id: number; sandbox: boolean }[]>('merchant', 'list');
    const marked = new Map(listed.map(({ id, sandbox }) => [id, sandbox]));
    expect([marked.get(created.id), marked.get(live.id), marked.get(tester.id)]).toEqual([true, false, true]);
    const wallets = await commandLine.json<{ merchant_id: number; sandbox: boolean }[]>('wallet', 'list');
    expect(wallets.filter(({ sandbox }) => sandbox).map(({ merchant_id: id }) => id)).toEqual(
      expect.arrayContaining([created.id, tester.id]),
    );
    expect(wallets.find(({ merchant_id: id }) => id === live.id)?.sandbox).toBe(false);
  });

  it('gives its keys a distinct prefix, also when they are rotated', async () => {
    const issue = (merchant: TestMerchant): Promise<{ id: number; key: string; prefix: string }> =>
      commandLine.json('api-key', 'issue', '--merchant', String(merchant.id));
    const [test, live] = [await issue(tester), await issue(shop)];
    expect(test.key).toMatch(/^topup_test_[0-9A-Za-z]{43}$/);
    expect(test.prefix).toBe(test.key.slice(0, 17));
    expect(live.key).toMatch(/^topup_[0-9A-Za-z]{43}$/);
    const rotated = await commandLine.json<{ key: string }>('api-key', 'rotate', String(test.id));
    expect(rotated.key).toMatch(/^topup_test_[0-9A-Za-z]{43}$/);
    const rotatedLive = await commandLine.json<{ key: string }>('api-key', 'rotate', String(live.id));
    expect(rotatedLive.key).toMatch(/^topup_[0-9A-Za-z]{43}$/);
    expect((await new Client(stack.url, rotated.key).get('/v1/wallet')).status).toBe(200);
    // The prefix is a part of the key.
    const swapped = rotated.key.replace('topup_test_', 'topup_');
    expect((await new Client(stack.url, swapped).get('/v1/wallet')).status).toBe(401);
  });
});

describe('POST /v1/sandbox/wallet/credit', () => {
  const credit = (body: unknown, merchant = tester): Promise<Answer<Wallet>> =>
    merchant.client.post<Wallet>('/v1/sandbox/wallet/credit', body);

  it('adds money each time, and answers with the resulting wallet', async () => {
    const [one, two] = [await credit({ amount: '100' }), await credit({ amount: '0.50' })];
    expect([one.status, one.body.available_amount]).toEqual([200, '100.00']);
    expect(two.body).toEqual((await tester.client.get('/v1/wallet')).body);
    expect(two.body.available_amount).toBe('100.50');
    const { body } = await tester.client.get<{ data: { reference_id: string }[] }>('/v1/wallet/entries');
    expect(body.data).toMatchObject([
      { kind: 'credit', amount: '0.50', available_amount_after: '100.50', order_number: null },
      { kind: 'credit', amount: '100.00', available_amount_after: '100.00', order_number: null },
    ]);
    const references = body.data.map(({ reference_id }) => reference_id);
    expect(references).toEqual([expect.stringMatching(/^sandbox_/), expect.stringMatching(/^sandbox_/)]);
    expect(new Set(references).size).toBe(2);
  });

  it('adds no entry to the audit log, which is for operators', async () => {
    await credit({ amount: '1.00' });
    const log = await commandLine.json<{ merchant_id: number | null; action: string }[]>('log');
    const ofTester = log.filter(({ merchant_id: id, action }) => id === tester.id && action.startsWith('wallet'));
    expect(ofTester).toEqual([]);
  });

  it.each([
    [{}, 'REQUIRED'],
    [{ amount: 5 }, 'INVALID_TYPE'],
    [{ amount: '5.001' }, 'INVALID_VALUE'],
    [{ amount: '-5.00' }, 'INVALID_VALUE'],
    [{ amount: '0.00' }, 'OUT_OF_RANGE'],
    [{ amount: '1000000.01' }, 'OUT_OF_RANGE'],
    [{ amount: '9999999999999.99' }, 'OUT_OF_RANGE'],
  ])('refuses %j as %s', async (body, code) => {
    expectRefusedField(await credit(body), 'amount', code);
  });

  it('does not exist for live merchants, with any body', async () => {
    const message = 'There is no POST /v1/sandbox/wallet/credit';
    expectError(await credit({ amount: '5.00' }, shop), 404, 'NOT_FOUND', message);
    expectError(await credit({}, shop), 404, 'NOT_FOUND', message);
    expect((await stack.wallet(shop)).available).toBe('0.00');
  });
});

describe('POST /v1/players/check of a sandbox merchant', () => {
  const check = async (userId: string, sku: string): Promise<unknown> =>
    (await tester.client.post('/v1/players/check', { sku, user_id: userId })).body;

  it('has one invalid player, takes all others for valid, and sends no query', async () => {
    const sku = await stack.product('35.00');
    const setting = { sku, name: sku, price: 3500n, supplier: 'fake', playerCheck: 'g2bulk:mlbb' };
    await stack.api.get(ProductsService).set(setting);
    validator.introduce('player-1', known('Nobody'));
    expect(await check('player-1', sku)).toEqual({ verdict: 'valid', name: null });
    expect(await check('sim-fail-invalid_player', sku)).toEqual({ verdict: 'invalid', name: null });
    expect(await check('sim-fail-out_of_stock', sku)).toEqual({ verdict: 'valid', name: null });
    expect(validator.questions).toEqual([]);
  });

  it('is refused for the same reasons as an order', async () => {
    const answer = await tester.client.post('/v1/players/check', {
      sku: unique('NONE'),
      user_id: 'player-1',
    });
    expectRefusedField(answer, 'sku', 'INVALID_SKU');
  });
});
