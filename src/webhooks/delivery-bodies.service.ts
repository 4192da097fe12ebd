import { Injectable } from '@nestjs/common';
import { UnitDeliveriesService, type DeliveredItems } from '../orders/codes/unit-deliveries.service.js';
import type { ClaimedDelivery } from './dispatch.repository.js';

/** The body of an event about an order, as far as it is looked into here. */
interface OrderEvent {
  data: { items: object[] };
}

/** What webhooks are sent. */
@Injectable()
export class DeliveryBodiesService {
  constructor(private readonly deliveries: UnitDeliveriesService) {}

  /**
   * The bytes of the event; for a webhook that is told what was handed over, with that in the order's items and nothing
   * else changed. They are made for each attempt, and kept nowhere.
   * @throws Error when it was sealed under a key that is not here; what PostgreSQL throws.
   */
  async bodyOf({ body, order_id: orderId, include_deliveries }: ClaimedDelivery): Promise<string> {
    if (!include_deliveries || orderId === null) return body;
    const delivered = await this.deliveries.ofOrder(orderId);
    return delivered.size === 0 ? body : withDeliveries(body, delivered);
  }
}

function withDeliveries(body: string, delivered: DeliveredItems): string {
  const event = JSON.parse(body) as OrderEvent;
  const items = event.data.items.map((item, index) => {
    const deliveries = delivered.get(index + 1);
    return deliveries ? { ...item, deliveries } : item;
  });
  return JSON.stringify({ ...event, data: { ...event.data, items } });
}
