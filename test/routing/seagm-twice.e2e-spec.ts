import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrderBody } from '../support/stack.js';
import type { RoutingScene } from './routing-scene.js';
import { SeagmScene } from './seagm-scene.js';

/** SEAGM may buy again what is sent again under one reference, and its answers lie now and then. */
let seagm: SeagmScene;
let scene: RoutingScene;

beforeAll(async () => {
  seagm = await SeagmScene.open();
  scene = seagm.routing;
});

afterEach(() => seagm.vendor.sim('rules', undefined, 'DELETE'));

afterAll(() => seagm.close());

/** Something in between says that it was too much, while the vendor has it. */
const REFUSED_AND_TAKEN = { http: 429, then: [], callback: { mode: 'never' } };

const calledBack = async (order: OrderBody, set: object): Promise<unknown> =>
  seagm.vendor.sim('callbacks', { ref_id: await scene.reference(order), set });

describe('A signed callback about a unit that waits to be sent again', () => {
  it('settles it when it was bought', async () => {
    const order = await seagm.ruled(REFUSED_AND_TAKEN);
    await seagm.called(order, 1);
    await scene.unitIn(order, 'queued');
    await calledBack(order, { status_code: 10_003, send_amount: 1 });
    await scene.orderWith(order, 'completed');
    expect(await seagm.calls(order)).toEqual(['recharge-orders']);
  });

  it('has it asked about, and not sent, when it is on its way', async () => {
    const order = await seagm.ruled(REFUSED_AND_TAKEN);
    await seagm.called(order, 1);
    await scene.unitIn(order, 'queued');
    await calledBack(order, { status_code: 10_002 });
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order);
    await seagm.called(order, 2);
    await scene.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id: await scene.reference(order), status_code: 10_003 });
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
    expect(new Set((await seagm.calls(order)).slice(1))).toEqual(new Set(['inquiry']));
  });
});
