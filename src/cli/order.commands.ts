import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { FAILURE_CODES, type FailureCode } from '../core/failures.js';
import { ORDER_STATUSES, type OrderStatus } from '../orders/states.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { age, assertPeriod, id, integer, moment, oneOf, only } from './options.js';
import { defineCancel, defineResolve } from './order-decision.commands.js';
import { OrderSupportService } from '../support/order-support.service.js';
import { SupportModule } from '../support/support.module.js';
import { orderDetail, orderList } from './order-views.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

interface ListGiven {
  status?: OrderStatus;
  olderThan?: number;
  review?: boolean;
  merchant?: number;
  userId?: string;
  sku?: string;
  supplier?: string;
  reference?: string;
  createdFrom?: Date;
  createdTo?: Date;
  failureCode?: FailureCode;
  limit: number;
}

export const orderCommands: CommandGroup = {
  features: { imports: [MerchantsModule, SuppliersModule, SupportModule] },
  define(order) {
    order
      .command('show')
      .description('Show an order with its units and its timeline.')
      .argument('<number-or-reference>', 'order number or merchant’s reference')
      .option('--merchant <id>', 'merchant id, if several merchants use the reference', id)
      .examples('order show ord_Np3O7rcsqNmBTwD7', 'order show shop-10001 --merchant 1')
      .does(async (app, numberOrReference: string, { merchant }: { merchant?: number }) => {
        const orders = app.get(OrderSupportService);
        const { order_number } = await orders.getByNumberOrReference(numberOrReference, merchant);
        return orderDetail(await orders.show(order_number));
      });

    defineList(order);
    defineCancel(order);
    defineResolve(order);
  },
};

function defineList(order: OperatorCommand): void {
  order
    .command('list')
    .description('List orders, newest first. An order must match all filters.')
    .option('--merchant <id>', 'orders of this merchant id', id)
    .option('--reference <text>', 'orders with this merchant’s reference')
    .option('--user-id <text>', 'orders for this player')
    .option('--sku <sku>', 'orders with an item of this product')
    .option('--supplier <code>', 'orders with an item that was first routed to this supplier')
    .option('--status <status>', `orders with this status: ${ORDER_STATUSES.join(', ')}`, oneOf(ORDER_STATUSES))
    .option(
      '--failure-code <code>',
      `orders that failed with this code: ${FAILURE_CODES.join(', ')}`,
      oneOf(FAILURE_CODES),
    )
    .option('--created-from <moment>', 'orders created at or after this time, in ISO 8601', moment)
    .option('--created-to <moment>', 'orders created before this time, in ISO 8601', moment)
    .option('--older-than <age>', 'orders at least this old, such as 90s, 15m, 2h or 7d', age)
    .option('--review', 'orders with a unit that needs topup order resolve')
    .option('--limit <n>', 'maximum number of orders', integer(1, MAX_LIMIT), DEFAULT_LIMIT)
    .examples(
      'order list --review',
      'order list --status processing --older-than 15m',
      'order list --merchant 1 --sku MLBB-86 --created-from 2026-01-15 --created-to 2026-01-16',
    )
    .does(async (app, { merchant, supplier, status, failureCode, ...given }: ListGiven) => {
      const { createdFrom, createdTo, limit } = given;
      assertPeriod(['--created-from', createdFrom], ['--created-to', createdTo]);
      if (merchant !== undefined) await app.get(MerchantsService).get(merchant);
      const named = supplier === undefined ? undefined : await app.get(SuppliersService).getByCode(supplier);
      const filter = {
        ...given,
        statuses: only(status),
        merchantIds: only(merchant),
        supplierIds: only(named?.id),
        failureCodes: only(failureCode),
      };
      return orderList(await app.get(OrderSupportService).list(filter), limit);
    });
}
