import { describe, expect, it } from '@jest/globals';
import type { Json } from '../simulators/seagm-client.js';
import { seagmScene } from './seagm-scene.js';

/** So wide that the tests can move the supplier's clock without a refusal. */
const WIDE = 1_000_000;

const seagm = seagmScene({ ban_after: 1, clock_tolerance_seconds: WIDE });

describe('SEAGM', () => {
  it.each(['1021', '1024'])('is paused for our clock by %s, and goes on once it is right', async (error) => {
    const { routing: scene, vendor } = seagm;
    await vendor.sim('clock', { advance: '125s' });
    await vendor.sim('readings', { clock_tolerance_seconds: 120, clock_error: error });
    const order = await scene.order(seagm.sku);
    expect(await seagm.pausedFor('credentials')).toContain('clock');
    expect(await vendor.sim('purchases')).not.toContainEqual(
      expect.objectContaining({ ref_id: await scene.reference(order) }),
    );
    expect((await scene.orderWith(order, 'processing', 'pending')).failure_code).toBeNull();

    await vendor.sim('readings', { clock_tolerance_seconds: WIDE });
    await seagm.probeNow();
    await seagm.pausedFor(null);
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
    expect(await seagm.bought(order)).toMatchObject({ times_bought: 1, standing: 1 });
  });

  it.each<[string, Json, string]>([
    ['an uid that it does not know', { uid: '10002' }, 'credentials'],
    ['another key', { secret_key: 'another' }, 'credentials'],
  ])('is paused by the first answer for %s, and no order fails for it', async (_what, account, reason) => {
    const { routing: scene, vendor } = seagm;
    await vendor.sim('account', account);
    const order = await scene.order(seagm.sku);
    await seagm.pausedFor(reason);
    expect((await scene.orderWith(order, 'processing', 'pending')).failure_code).toBeNull();
    await vendor.sim('account', { uid: '10001', secret_key: 'seagm-test-secret', balance: '10000' });
    await seagm.probeNow();
    await seagm.pausedFor(null);
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
  });

  it('gets no calls for a while after too many requests, and during a ban, and then gets units again by itself', async () => {
    const { routing: scene, vendor } = seagm;
    const order = await seagm.ruled({ code: 429 });
    await seagm.called(order, 1);
    expect(await scene.unitIn(order, 'queued')).toBeGreaterThan(8);
    await scene.aMinuteLater(order);
    expect(await seagm.pausedFor('ban')).toContain('banned');
    const [probe] = await scene.stack.sql<{ due_s: number }>(
      `SELECT extract(epoch FROM probe_at - now())::float8 AS due_s FROM suppliers WHERE code = 'seagm'`,
    );
    expect(probe?.due_s).toBeGreaterThan(100);
    await vendor.sim('clock', { advance: '121s' });
    await seagm.probeNow();
    await seagm.pausedFor(null);
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
    expect(await seagm.bought(order)).toMatchObject({ times_bought: 1, standing: 1 });
  });
});
