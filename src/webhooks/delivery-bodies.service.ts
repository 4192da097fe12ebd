import { Injectable } from '@nestjs/common';
import { UnitDeliveriesService, type DeliveredItems } from '../orders/codes/unit-deliveries.service.js';
import type { ClaimedDelivery } from './dispatch.repository.js';

/** The members of an order event's body that are read here. */
interface OrderEvent {
  data: { items: object[] };
}

/** The bodies that webhooks receive. */
@Injectable()
export class DeliveryBodiesService {
  constructor(private readonly deliveries: UnitDeliveriesService) {}

  /**
   * @returns the event's stored body. For a webhook with `include_deliveries`, the order's bought items also have the codes
   * and serial numbers, unless the order is archived. Such a body is made for each attempt, and never stored.
   * @throws Error if SECRETS_KEY does not open the codes; errors of PostgreSQL.
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
