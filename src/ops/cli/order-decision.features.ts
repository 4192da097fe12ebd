import type { CommandFeatures } from '../../cli.module.js';
import { OrdersModule } from '../../orders/orders.module.js';
import { NoQueuesModule } from './no-queues.module.js';
import { OrderCancellation } from './order-cancellation.service.js';
import { OrderDesk } from './order-desk.service.js';
import { OrderResolution } from './order-resolution.service.js';

export const orderDecisionFeatures: CommandFeatures = {
  imports: [NoQueuesModule, OrdersModule],
  providers: [OrderCancellation, OrderDesk, OrderResolution],
};
