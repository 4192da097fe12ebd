import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Scene } from './scene.js';
import type { Endpoints, Hooks } from './support.js';

let scene: Scene;
let hooks: Hooks;
let endpoints: Endpoints;

/** A retry would come long after the test. */
const LATE_RETRY = { retry_delay: 3600 };

beforeAll(async () => {
  // An attempt in flight lasts until the test ends it.
  scene = await Scene.start({ timing: { timeoutMs: 120_000 } });
  endpoints = scene.endpoints;
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.newMerchant();
  hooks = scene.hooks;
});

describe('a webhook that ends', () => {
  /** The status of its only delivery, from the table, because the API shows no deliveries of a deleted webhook. */
  const stateOf = async (id: number): Promise<{ status: string; due_at: Date | null } | undefined> => {
    const rows = await scene.stack.sql<{ status: string; due_at: Date | null }>(
      'SELECT status, due_at FROM webhook_deliveries WHERE webhook_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    return rows[0];
  };
  const statusOf = async (id: number): Promise<string | undefined> => (await stateOf(id))?.status;
  const waiting = async (id: number) =>
    hooks.newest(id, ({ attempt_count: count, next_attempt_at }) => count === 1 && next_attempt_at !== null);

  it('by becoming inactive: waiting deliveries are cancelled, and stay so when it is active again', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url, LATE_RETRY);
    await scene.order();
    await waiting(id);
    await hooks.patch(id, { status: 'inactive' });
    expect(await hooks.newestIs(id, 'cancelled')).toMatchObject({ next_attempt_at: null, attempt_count: 1 });
    await hooks.patch(id, { status: 'active' });
    await scene.order();
    await endpoints.arrived(url, 2);
    expect((await hooks.deliveries(id)).map(({ status }) => status)).toEqual(['pending', 'cancelled']);
  });

  it('by being deleted: waiting deliveries are cancelled', async () => {
    const { id } = await hooks.register(endpoints.answering(500), LATE_RETRY);
    await scene.order();
    await waiting(id);
    await hooks.remove(id);
    await eventually(
      () => statusOf(id),
      (status) => status === 'cancelled',
    );
  });

  describe.each<[string, (id: number) => Promise<unknown>]>([
    ['by becoming inactive', (id) => hooks.patch(id, { status: 'inactive' })],
    ['by being deleted', (id) => hooks.remove(id)],
  ])('%s', (_how, end) => {
    it.each<[string, number, string]>([
      ['fails', 500, 'cancelled'],
      ['succeeds', 200, 'succeeded'],
    ])('while an attempt is in flight that %s', async (_outcome, status, outcome) => {
      let answer = (): void => {};
      const url = endpoints.add((response) => void (answer = () => response.writeHead(status).end()));
      const { id } = await hooks.register(url, LATE_RETRY);
      await scene.order();
      await endpoints.arrived(url);
      const inFlight = await hooks.newest(id, () => true);
      expect(inFlight).toMatchObject({ status: 'pending', next_attempt_at: null });
      await end(id);
      expect(await stateOf(id)).toEqual({ status: 'pending', due_at: null });
      answer();
      await eventually(
        () => statusOf(id),
        (found) => found === outcome,
      );
      expect(endpoints.at(url)).toHaveLength(1);
    });
  });

  it.each(["status = 'inactive'", 'deleted_at = now()'])(
    'leaves nothing to send for what a crash kept from being cancelled: %s',
    async (ended) => {
      const url = endpoints.answering(500);
      const { id } = await hooks.register(url, LATE_RETRY);
      await scene.order();
      await waiting(id);
      // The process died after the change and before the cancelling.
      await scene.stack.sql(`UPDATE webhooks SET ${ended} WHERE id = $1`, [id]);
      await scene.stack.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1`, [id]);
      await eventually(
        () => statusOf(id),
        (status) => status === 'cancelled',
      );
      expect(endpoints.at(url)).toHaveLength(1);
    },
  );

  it('sends no old deliveries when it is active again, even if a crash interrupted the cancelling', async () => {
    const { id } = await hooks.register(endpoints.answering(500), LATE_RETRY);
    await scene.order();
    await waiting(id);
    await scene.stack.sql(`UPDATE webhooks SET status = 'inactive' WHERE id = $1`, [id]);
    await hooks.patch(id, { status: 'active' });
    expect(await statusOf(id)).toBe('cancelled');
  });
});
