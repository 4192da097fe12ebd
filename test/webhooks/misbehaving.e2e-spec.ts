import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Scene } from './scene.js';
import type { Arrival, Endpoints, Hooks } from './support.js';

let scene: Scene;
let hooks: Hooks;
let endpoints: Endpoints;

/** The timeout. Only endpoints that never answer reach it. */
const TIMEOUT_MS = 10_000;

beforeAll(async () => {
  scene = await Scene.start({
    timing: { timeoutMs: TIMEOUT_MS },
    resolve: (hostname) => Promise.resolve(hostname === 'rebound.test' ? ['10.0.0.1'] : []),
  });
  endpoints = scene.endpoints;
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.newMerchant();
  hooks = scene.hooks;
});

const verify = ({ body, headers }: Arrival, secret: string): unknown =>
  new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' }).verify(body, headers);

describe('endpoints that misbehave', () => {
  it('and never answer fail at the deadline', async () => {
    const { id } = await hooks.register(endpoints.silent(), { max_retries: 0 });
    await scene.order();
    const [attempt] = (await hooks.newestIs(id, 'failed')).attempts;
    expect(attempt).toMatchObject({ response_status: null, error: 'timeout', response_body: null });
    expect(attempt?.duration_ms).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
  });

  it('and send their body drop by drop succeed after a 200, and fail after a 500', async () => {
    const dripping = (status: number): string =>
      endpoints.add((response) => {
        response.writeHead(status);
        const drip = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(drip));
      });
    const good = await hooks.register(dripping(200));
    const bad = await hooks.register(dripping(500), { max_retries: 0 });
    await scene.order();
    expect((await hooks.newestIs(good.id, 'succeeded')).attempts).toMatchObject([
      { response_status: 200, error: null },
    ]);
    expect((await hooks.newestIs(bad.id, 'failed')).attempts).toMatchObject([{ response_status: 500, error: null }]);
  });

  it('and answer without end are read for a few bytes', async () => {
    const url = endpoints.add((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('0123456789abcdef'.repeat(64)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { id } = await hooks.register(url);
    await scene.order();
    const [attempt] = (await hooks.newestIs(id, 'succeeded')).attempts;
    expect(attempt?.response_body).toBe('0123456789abcdef'.repeat(64));
  });

  it('and answer with bytes that are no text leave readable text in the log', async () => {
    const url = endpoints.add((response) => {
      response.end(Buffer.from([0x61, 0x00, 0x62, 0xff, 0xc3, 0x28, 0xe0, 0xb8, 0x81, 0xe0, 0xb8]));
    });
    const { id } = await hooks.register(url);
    await scene.order();
    const [attempt] = (await hooks.newestIs(id, 'succeeded')).attempts;
    expect(attempt?.response_body).toBe('a\ufffdb\ufffd\ufffd(ก');
  });

  it('and moved to a forbidden address get no connection', async () => {
    const { id } = await hooks.register('http://rebound.test/hook', { max_retries: 0 });
    await scene.order();
    expect((await hooks.newestIs(id, 'failed')).attempts).toMatchObject([{ error: 'refused_address' }]);
  });

  it('and have no address any more fail with dns', async () => {
    const { id } = await hooks.register('http://gone.test/hook', { max_retries: 0 });
    await scene.order();
    expect((await hooks.newestIs(id, 'failed')).attempts).toMatchObject([{ error: 'dns' }]);
  });
});

describe('secrets', () => {
  it('that were replaced with an overlap sign beside the new one until the overlap ends', async () => {
    const url = endpoints.add();
    const [old, current] = ['the secret of before', 'the secret of after'];
    const { id } = await hooks.register(url, { secret: old });
    await hooks.patch(id, { secret: current, rotation_overlap: 600 });
    await hooks.test(id);
    const [both] = await endpoints.arrived(url);
    expect(both?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [old, current]) expect(both && verify(both, secret)).toBeTruthy();
    await scene.stack.sql(`UPDATE webhooks SET previous_secret_expires_at = now() WHERE id = $1`, [id]);
    await hooks.test(id);
    const [, after] = await endpoints.arrived(url, 2);
    expect(after?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(() => after && verify(after, old)).toThrow();
    expect(after && verify(after, current)).toBeTruthy();
  });

  it('that cannot be unsealed make their deliveries wait, without an attempt', async () => {
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    await scene.stack.sql(`UPDATE webhooks SET secret_sealed = '\\x00' || secret_sealed WHERE id = $1`, [id]);
    await scene.order();
    const unsent = ({ next_attempt_at, updated_at }: { next_attempt_at: string | null; updated_at: string }): boolean =>
      next_attempt_at !== null && Date.parse(next_attempt_at) - Date.parse(updated_at) > 50_000;
    const delivery = await hooks.newest(id, unsent);
    expect(delivery).toMatchObject({ status: 'pending', attempt_count: 0, attempts: [] });
    expect(endpoints.at(url)).toEqual([]);
    await scene.stack.sql(`UPDATE webhooks SET secret_sealed = substr(secret_sealed, 2) WHERE id = $1`, [id]);
    await scene.stack.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1`, [id]);
    expect((await hooks.newestIs(id, 'succeeded')).attempts).toMatchObject([{ number: 1 }]);
  });
});
