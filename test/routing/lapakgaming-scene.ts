import type { Json, LapakgamingClient } from '../simulators/lapakgaming-client.js';
import type { OrderBody } from '../support/stack.js';
import type { RoutingScene } from './routing-scene.js';

/** Mobile Legends without a zone, which orders of a {@link RoutingScene} do not have. */
export const WITHOUT_ZONE: Json = {
  categories: [{ code: 'ML', forms: [{ name: 'user_id', type: 'tel', options: [] }] }],
};

/** Follows an order until it waits to be asked about, and lets the time pass in which it ends at the vendor. */
export async function endedAtLapakgaming(
  scene: RoutingScene,
  vendor: LapakgamingClient,
  order: OrderBody,
): Promise<void> {
  await scene.unitIn(order, 'unknown');
  await vendor.untilSettled();
  await scene.aMinuteLater(order);
}
