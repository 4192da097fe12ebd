import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { BuiltSdk } from './built-sdk.js';
import { RunningShop, RUNTIMES } from './runtimes/runtimes.js';
import type { Settings } from './runtimes/shop.js';

let stack: TestStack;
let sdk: BuiltSdk;

beforeAll(async () => {
  stack = await TestStack.start();
  sdk = await BuiltSdk.make();
  writeFileSync(sdk.path('package.json'), '{ "type": "module" }');
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  sdk.remove();
});

describe.each(RUNTIMES)('the built SDK, on %s', (runtime) => {
  const reference = unique(runtime);
  let merchant: TestMerchant;
  let shop: RunningShop | undefined;
  let came: Record<string, unknown>;
  let forged: unknown[];

  beforeAll(async () => {
    merchant = await stack.sandboxMerchant();
    const started = await RunningShop.start(runtime, sdk);
    shop = started;
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const url = `${started.url}/webhooks?secret=${encodeURIComponent(secret)}`;
    // Several at once and first, because a verifier's cached key must work for the other requests.
    forged = await Promise.all(Array.from({ length: 10 }, () => forge(url)));
    await merchant.client.post('/v1/merchant-webhooks', { url, secret });
    const sku = await stack.product('35.00', { supplier: undefined });
    const settings: Settings = { baseUrl: stack.url, apiKey: merchant.key, sku, reference };
    const response = await fetch(started.url, { method: 'POST', body: JSON.stringify(settings) });
    came = (await response.json()) as typeof came;
  });

  afterAll(() => shop?.stop());

  it('orders, and waits for the end', () =>
    expect(came.orders).toEqual([
      ['completed', null],
      ['completed', null],
      ['failed', 'OUT_OF_STOCK'],
    ]));

  it('walks a list page after page', () =>
    expect(came.listed).toEqual([3, 2, 1].map((number) => `${reference}/${number}`)));

  it('throws errors of its own classes, and the reason of a signal', () =>
    expect(came).toMatchObject({
      refused: 'ApiError of the SDK 404 NOT_FOUND',
      unauthorized: 'ApiError of the SDK 401 UNAUTHORIZED',
      unreachable: 'ConnectionError of the SDK',
      aborted: 'TypeError',
    }));

  it('verifies webhooks, and refuses forged ones', async () => {
    const sold = await eventually(
      () => shop?.sold() ?? [],
      ({ length }) => length >= 2,
    );
    expect(sold.sort()).toEqual([`${reference}/1`, `${reference}/2`]);
    expect(forged).toEqual(forged.map(() => [400, 'no_matching_signature']));
  });
});

/** Sends a webhook that is signed with another secret. @returns the answer. */
async function forge(url: string): Promise<unknown> {
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${randomBytes(32).toString('base64')}`,
  };
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  return [response.status, await response.text()];
}
