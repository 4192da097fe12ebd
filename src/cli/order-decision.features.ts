import type { CommandFeatures } from '../cli.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { NoQueuesModule } from './no-queues.module.js';
import { OrderCancellation } from '../support/order-cancellation.service.js';
import { OrderDesk } from '../support/order-desk.service.js';
import { OrderResolution } from '../support/order-resolution.service.js';

export const orderDecisionFeatures: CommandFeatures = {
  imports: [NoQueuesModule, OrdersModule],
  providers: [OrderCancellation, OrderDesk, OrderResolution],
};
