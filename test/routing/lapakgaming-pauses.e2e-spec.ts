import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { SECRET_KEY, type Json, type LapakgamingClient } from '../simulators/lapakgaming-client.js';
import { eventually } from '../support/eventually.js';
import { expectRefusedField } from '../support/expectations.js';
import { withHeldRefusal } from '../support/held-refusal.js';
import { unique } from '../support/stack.js';
import { endedAtLapakgaming, WITHOUT_ZONE } from './lapakgaming-scene.js';
import { RoutingScene, TIMEOUT_MS } from './routing-scene.js';

const POOR = 'ML7740_1548-S42';
let scene: RoutingScene;
let vendor: LapakgamingClient;
let code: string;

beforeAll(async () => {
  scene = await RoutingScene.open();
});

beforeEach(async () => {
  code = unique('lapak');
  vendor = await scene.lapakgaming(code, {}, WITHOUT_ZONE);
});

afterAll(() => scene.close());

const sent = async (): Promise<Json[]> => (await vendor.sim<Json[]>('journal')).filter(({ call }) => call === 'order');

const pausedFor = (reason: string): Promise<unknown> =>
  eventually(
    () => scene.commandLine.json<{ pause_reason: string | null }>('supplier', 'show', code),
    ({ pause_reason }) => pause_reason === reason,
  );

describe('Lapakgaming', () => {
  it.each<[reason: string, supplierSku: string, wrong: Json, right: Json]>([
    ['deposit', POOR, {}, { products: [{ code: POOR, refused_with: null }] }],
    ['deposit', 'ML78_8-S2', { balance: 0 }, { balance: 100_000 }],
    ['credentials', 'ML78_8-S2', { secret_key: 'another' }, { secret_key: SECRET_KEY }],
    ['credentials', 'ML78_8-S2', { allow_list: [] }, { allow_list: ['127.0.0.1'] }],
  ])('is paused for its %s by the first refusal of %s, after %j', async (reason, supplierSku, wrong, right) => {
    await vendor.sim('account', wrong);
    const sku = await scene.product({ supplier: code, supplierSku });
    const order = await scene.order(sku);
    await pausedFor(reason);
    expect(await sent()).toHaveLength(1);
    expect((await scene.orderWith(order, 'processing', 'pending')).failure_code).toBeNull();
    const another = { reference_id: unique('order'), user_id: unique('7'), items: [{ sku }] };
    const refusal = await scene.merchant.client.post('/v1/orders', another);
    expectRefusedField(refusal, 'items[0].sku', 'PRODUCT_UNAVAILABLE');

    await vendor.sim('account', right);
    await scene.commandLine.json('supplier', 'resume', code, '--reason', 'put right');
    await scene.aMinuteLater(order);
    await endedAtLapakgaming(scene, vendor, order);
    await scene.orderWith(order, 'completed');
    expect(await sent()).toHaveLength(2);
  });

  const set = (baseUrl: string): Promise<unknown> =>
    scene.stack.api.get(SuppliersService).set({ code, adapter: 'lapakgaming', baseUrl, timeoutMs: TIMEOUT_MS });

  it.each<[refusal: string, change: () => Promise<unknown>]>([
    ['of the settings that an operator corrected meanwhile', () => set(vendor.url)],
    ['of a call that began before an operator resumed it', () => scene.commandLine.json('supplier', 'resume', code)],
  ])('is not paused by a refusal %s', async (_, change) => {
    const sku = await scene.product({ supplier: code, supplierSku: 'ML78_8-S2' });
    await withHeldRefusal(async ({ url, called, release }) => {
      await set(url);
      const order = await scene.order(sku);
      await called;
      await change();
      release();
      await scene.unitIn(order, 'queued');
      const shown = await scene.commandLine.json('supplier', 'show', code);
      expect(shown).toMatchObject({ status: 'active', pause_reason: null });
      await set(vendor.url);
      await scene.aMinuteLater(order);
      await endedAtLapakgaming(scene, vendor, order);
      await scene.orderWith(order, 'completed');
    });
  });

  it('gets no purchase at once again if its balance is above our limit all the time', async () => {
    const supplier = await scene.stack.api.get(SuppliersService).getByCode(code);
    await scene.stack.sql('UPDATE suppliers SET low_balance_micros = 0 WHERE id = $1', [supplier.id]);
    const order = await scene.order(await scene.product({ supplier: code, supplierSku: POOR }));
    interface Pause {
      paused_at: Date | null;
      is_noted: boolean;
    }
    const pause = async (): Promise<Pause | undefined> =>
      (
        await scene.stack.sql<Pause>(
          'SELECT paused_at, paused_balance_micros IS NOT NULL AS is_noted FROM suppliers WHERE id = $1',
          [supplier.id],
        )
      )[0];
    await eventually(sent, ({ length }) => length > 0);
    await eventually(pause, (row) => row !== undefined && row.paused_at !== null);
    const noted = await eventually(pause, (row) => row?.is_noted === true || row?.paused_at === null);
    expect(noted).toMatchObject({ is_noted: true });

    await scene.stack.sql('UPDATE suppliers SET probe_at = now() WHERE id = $1', [supplier.id]);
    const sentAgain = async (): Promise<Json[]> => {
      await scene.aMinuteLater(order);
      return sent();
    };
    await eventually(sentAgain, ({ length }) => length === 2);
    const again = await eventually(pause, (row) => row?.is_noted === true);
    expect(again?.paused_at).toEqual(noted?.paused_at);
    expect(await sent()).toHaveLength(2);
  });

  it('is skipped while our balance there is too low, if another supplier sells the product', async () => {
    const other = unique('lapak');
    const second = await scene.lapakgaming(other, {}, WITHOUT_ZONE);
    const sku = await scene.product(
      { supplier: code, supplierSku: POOR },
      { supplier: other, supplierSku: 'ML78_8-S2' },
    );
    const order = await scene.order(sku);
    await endedAtLapakgaming(scene, second, order);
    await scene.orderWith(order, 'completed');
    await pausedFor('deposit');
    expect(await scene.attempts(order)).toMatchObject([
      { supplier: code, state: 'withdrawn' },
      { supplier: other, state: 'succeeded' },
    ]);
  });
});
