import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SECRET_KEY, type Json, type LapakgamingClient } from '../simulators/lapakgaming-client.js';
import { eventually } from '../support/eventually.js';
import { expectRefusedField } from '../support/expectations.js';
import { unique } from '../support/stack.js';
import { endedAtLapakgaming, WITHOUT_ZONE } from './lapakgaming-scene.js';
import { RoutingScene } from './routing-scene.js';

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
