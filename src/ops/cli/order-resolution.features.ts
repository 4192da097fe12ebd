import type { CommandFeatures } from '../../cli.module.js';
import { OrdersModule } from '../../orders/orders.module.js';
import { NoQueuesModule } from './no-queues.module.js';
import { OrderDesk } from './order-desk.service.js';
import { OrderResolution } from './order-resolution.service.js';

export const orderResolutionFeatures: CommandFeatures = {
  imports: [NoQueuesModule, OrdersModule],
  providers: [OrderDesk, OrderResolution],
};
