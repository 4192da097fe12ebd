import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiKeyVerifier } from '../../src/auth/api-key-verifier.js';
import { ApiKeysRepository } from '../../src/auth/api-keys.repository.js';
import { ApiKeysService, hashApiKey } from '../../src/auth/api-keys.service.js';
import { newApiKey } from '../../src/core/identifiers.js';
import { MerchantsService } from '../../src/merchants/merchants.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';

let stack: TestStack;
/** How far the service's clock is ahead. */
let aheadMs = 0;
const clock = performance.now.bind(performance);

beforeAll(async () => {
  performance.now = () => clock() + aheadMs;
  stack = await TestStack.start({ TRUSTED_PROXIES: '127.0.0.1' }, { worker: false });
});

afterEach(() => void jest.restoreAllMocks());

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  performance.now = clock;
});

/** All running processes apply an operator's changes within 5 s (contract, section 7). */
const WITHIN_MS = 5_000;

const keys = (): ApiKeysService => stack.api.get(ApiKeysService);

/** A key that was just used, so that the service may have it in a cache. */
async function usedKey(): Promise<{
  id: number;
  merchantId: number;
  client: Client;
}> {
  const { id: merchantId } = await stack.merchant('0.00');
  const { apiKey, key } = await keys().issue(merchantId);
  const client = new Client(stack.url, key);
  expect((await client.get('/v1/wallet')).status).toBe(200);
  return { id: apiKey.id, merchantId, client };
}

const becomes = (client: Client, status: number): Promise<Answer<never>> =>
  eventually(
    () => client.get('/v1/wallet'),
    (answer) => answer.status === status,
  );

/** Moves the service's clock by the time that an operator's change may take. The clock never goes back while the service runs. */
function letItPass(): void {
  aheadMs += WITHIN_MS;
}

/** @returns the time of the longest lookup since then. A key may end so much early, so that it never ends late. */
function timeLookups(): () => number {
  const repository = stack.api.get(ApiKeysRepository);
  const recognize = repository.recognize.bind(repository);
  let longestMs = 0;
  jest.spyOn(repository, 'recognize').mockImplementation(async (hashes) => {
    const startedAt = performance.now();
    const keys = await recognize(hashes);
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    return keys;
  });
  return () => longestMs;
}

describe('1 Errors: 401 for a key that ended', () => {
  it('a revoked key stops working within 5 s', async () => {
    const { id, client } = await usedKey();
    await keys().revoke(id);
    letItPass();
    expectError(await client.get('/v1/wallet'), 401, 'UNAUTHORIZED', 'Invalid or missing API key');
  });

  it('a revoked key stops working even when it is used all the time', async () => {
    const { id, client } = await usedKey();
    await keys().revoke(id);
    let answer = await client.get('/v1/wallet');
    while (answer.status === 200) answer = await client.get('/v1/wallet');
    expect(answer.status).toBe(401);
  });

  it('a rotated key stops at once without an overlap, and its successor works', async () => {
    const { id, merchantId, client } = await usedKey();
    const successor = await keys().rotate(id, 0);
    expect(successor.apiKey.merchant_id).toBe(merchantId);
    expect((await new Client(stack.url, successor.key).get('/v1/wallet')).status).toBe(200);
    await becomes(client, 401);
  });

  it('a rotated key works beside its successor until the overlap is over', async () => {
    const overlapS = 4;
    const longestLookup = timeLookups();
    const rotated = async (): Promise<{ successor: Client; worked: boolean }> => {
      const { id, client } = await usedKey();
      const rotatedAt = performance.now();
      const successor = new Client(stack.url, (await keys().rotate(id, overlapS)).key);
      const { status } = await client.get('/v1/wallet');
      expect((await successor.get('/v1/wallet')).status).toBe(200);
      await becomes(client, 401);
      expect(performance.now() - rotatedAt).toBeGreaterThanOrEqual(overlapS * 975 - longestLookup());
      return { successor, worked: status === 200 };
    };
    // Repeated if the machine was so slow that the overlap was over before the first request.
    const { successor } = await eventually(rotated, ({ worked }) => worked);
    expect((await successor.get('/v1/wallet')).status).toBe(200);
  });

  it('a key stops working at the moment of its expiry', async () => {
    const { id } = await stack.merchant('0.00');
    const issued = async (): Promise<{ client: Client; status: number }> => {
      const { key } = await keys().issue(id, { expiresAt: new Date(Date.now() + 5_000) });
      const client = new Client(stack.url, key);
      return { client, status: (await client.get('/v1/wallet')).status };
    };
    // Repeated if the machine was so slow that the key had ended before its first request.
    const { client } = await eventually(issued, ({ status }) => status === 200);
    await becomes(client, 401);
  });
});

describe('1 Errors: 403 FORBIDDEN', () => {
  it('for a suspended merchant within 5 s, and no longer once it is resumed', async () => {
    const { merchantId, client } = await usedKey();
    await stack.api.get(MerchantsService).setStatus(merchantId, 'suspended');
    letItPass();
    expectError(await client.get('/v1/wallet'), 403, 'FORBIDDEN');
    const order = { reference_id: 'r', user_id: 'u', items: [{ sku: 'S' }] };
    expectError(await client.post('/v1/orders', order), 403, 'FORBIDDEN');
    await stack.api.get(MerchantsService).setStatus(merchantId, 'active');
    await becomes(client, 200);
  });

  it('is answered before the body’s syntax, size and type are checked', async () => {
    const { key } = await keys().issue((await stack.merchant('0.00')).id, { allowedNetworks: ['192.0.2.1'] });
    const client = new Client(stack.url, key);
    for (const body of ['{', ' '.repeat(300 * 1024)]) {
      expectError(await client.post('/v1/orders', body), 403, 'FORBIDDEN');
    }
    expectError(await client.post('/v1/orders', 'x', { 'content-type': 'text/plain' }), 403, 'FORBIDDEN');
    expectError(await client.get('/v1/nothing'), 403, 'FORBIDDEN');
  });

  it('an unknown key is a 401 for a suspended merchant too', async () => {
    const { id, merchantId, client } = await usedKey();
    await stack.api.get(MerchantsService).setStatus(merchantId, 'suspended');
    await keys().revoke(id);
    expectError(await becomes(client, 401), 401, 'UNAUTHORIZED');
  });

  it.each([
    [['203.0.113.7'], '203.0.113.7', 200],
    [['203.0.113.7'], '203.0.113.8', 403],
    [['203.0.113.0/24'], '203.0.113.255', 200],
    [['203.0.113.0/24'], '203.0.114.0', 403],
    [['198.51.100.0/24', '2001:db8::/32'], '2001:db8::1', 200],
    [['198.51.100.0/24', '2001:db8::/32'], '2001:db9::1', 403],
    [['198.51.100.0/24'], '::ffff:198.51.100.1', 200],
    [['::ffff:203.0.113.7'], '203.0.113.7', 200],
    [['::ffff:203.0.113.7'], '::ffff:203.0.113.7', 200],
    [['::ffff:203.0.113.7'], '203.0.113.8', 403],
    [['::ffff:203.0.113.0/120'], '203.0.113.255', 200],
    [['::ffff:203.0.113.0/120'], '203.0.114.0', 403],
    [['::ffff:0.0.0.0/95'], '203.0.113.7', 403],
    [['::/0'], '203.0.113.7', 403],
    [['0.0.0.0/0'], '2001:db8::1', 403],
    [[], '203.0.113.7', 200],
  ])('a key for %j, used from %s: %i', async (allowedNetworks, address, status) => {
    const { id } = await stack.merchant('0.00');
    const { key } = await keys().issue(id, { allowedNetworks });
    const answer = await new Client(stack.url, key).get('/v1/wallet', { 'x-forwarded-for': address });
    if (status === 403) expectError(answer, 403, 'FORBIDDEN', /address/);
    else expect(answer.status).toBe(status);
  });

  it('a key whose stored network is not readable works from no address', async () => {
    const { id } = await stack.merchant('0.00');
    const { apiKey, key } = await keys().issue(id, { allowedNetworks: ['127.0.0.1'] });
    await stack.sql(`UPDATE api_keys SET allowed_networks = '{127.1}' WHERE id = $1`, [apiKey.id]);
    expectError(await new Client(stack.url, key).get('/v1/wallet'), 403, 'FORBIDDEN', /address/);
  });
});

describe('more keys than the cache holds', () => {
  it('all work, each from its first use on', async () => {
    const { id: merchantId } = await stack.merchant('0.00');
    const issued = Array.from({ length: 20_300 }, () => newApiKey(false));
    await stack.fill(`INSERT INTO api_keys (merchant_id, prefix, key_hash) SELECT $1, 'topup_', unnest($2::bytea[])`, [
      merchantId,
      issued.map(hashApiKey),
    ]);
    const verifier = stack.api.get(ApiKeyVerifier);
    // Keys of one lookup, some of which come before the one that fills the cache and some after it.
    for (let first = 0; first < issued.length; first += 490)
      await untilDone(() =>
        Promise.all(issued.slice(first, first + 490).map((key) => verifier.verify(key, '127.0.0.1'))),
      );
  });
});
