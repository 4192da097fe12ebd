import type { Command } from 'commander';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { FAILURE_CODES, type FailureCode } from '../core/failures.js';
import { ORDER_STATUSES, type OrderStatus } from '../orders/states.js';
import { examples, type Act, type CommandGroup } from './command-group.js';
import { age, id, integer, moment, oneOf } from './options.js';
import { defineCancel, defineResolve } from './order-decision.commands.js';
import { OrderSupportService } from '../support/order-support.service.js';
import { SupportModule } from '../support/support.module.js';
import { orderDetail, orderList } from './order-views.js';
import { CommandError } from './problems.js';

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
  define(order, act) {
    order
      .command('show')
      .description('Show an order with its units and everything that happened to it.')
      .argument('<number-or-reference>', 'our order number, or the merchant’s reference')
      .option('--merchant <id>', 'the merchant, where several use the reference', id)
      .addHelpText('after', examples('order show ord_Np3O7rcsqNmBTwD7', 'order show shop-10001 --merchant 1'))
      .action(
        act(async (app, asked: string, { merchant }: { merchant?: number }) =>
          orderDetail(await app.get(OrderSupportService).show(asked, merchant)),
        ),
      );

    defineList(order, act);
    defineCancel(order, act);
    defineResolve(order, act);
  },
};

function defineList(order: Command, act: Act): void {
  order
    .command('list')
    .description('List orders of all merchants, newest first. What is given must all be true of an order.')
    .option('--merchant <id>', 'only of this merchant', id)
    .option('--reference <text>', 'only with this reference of the merchant’s')
    .option('--user-id <text>', 'only for this player')
    .option('--sku <sku>', 'only with an item of this product')
    .option('--supplier <code>', 'only with an item from this supplier')
    .option('--status <status>', `only with this status: ${ORDER_STATUSES.join(', ')}`, oneOf(ORDER_STATUSES))
    .option(
      '--failure-code <code>',
      `only those that failed with it: ${FAILURE_CODES.join(', ')}`,
      oneOf(FAILURE_CODES),
    )
    .option('--created-from <moment>', 'only those created then or later, in ISO 8601', moment)
    .option('--created-to <moment>', 'only those created before then, in ISO 8601', moment)
    .option('--older-than <age>', 'only those created this long ago, such as 90s, 15m, 2h or 7d', age)
    .option('--review', 'only those with a unit that waits for topup order resolve')
    .option('--limit <n>', 'how many at most', integer(1, MAX_LIMIT), DEFAULT_LIMIT)
    .addHelpText(
      'after',
      examples(
        'order list --review',
        'order list --status processing --older-than 15m',
        'order list --merchant 1 --sku MLBB-86 --created-from 2026-01-15 --created-to 2026-01-16',
      ),
    )
    .action(
      act(async (app, { merchant, supplier, ...given }: ListGiven) => {
        const { createdFrom, createdTo, limit } = given;
        if (createdFrom && createdTo && createdFrom >= createdTo)
          throw new CommandError('--created-to must be later than --created-from');
        if (merchant !== undefined) await app.get(MerchantsService).get(merchant);
        const supplierId = supplier && (await app.get(SuppliersService).getByCode(supplier)).id;
        const filter = { ...given, merchantId: merchant, supplierId: supplierId || undefined };
        return orderList(await app.get(OrderSupportService).list(filter), limit);
      }),
    );
}
