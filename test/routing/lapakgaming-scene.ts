import type { Json, LapakgamingClient } from '../simulators/lapakgaming-client.js';
import type { OrderBody } from '../support/stack.js';
import type { RoutingScene } from './routing-scene.js';

/** Mobile Legends without a zone, because orders of a {@link RoutingScene} have no zone. */
export const WITHOUT_ZONE: Json = {
  categories: [{ code: 'ML', forms: [{ name: 'user_id', type: 'tel', options: [] }] }],
};

/** Waits until an order's unit waits for an inquiry, then moves the supplier's clock to after the end of the purchase. */
export async function endedAtLapakgaming(
  scene: RoutingScene,
  vendor: LapakgamingClient,
  order: OrderBody,
): Promise<void> {
  await scene.unitIn(order, 'unknown');
  await vendor.untilSettled();
  await scene.aMinuteLater(order);
}
