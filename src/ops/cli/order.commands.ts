import { ORDER_STATUSES } from '../../orders/states.js';
import { examples, type CommandGroup } from './command-group.js';
import { age, id, integer, oneOf } from './options.js';
import { defineCancel, defineResolve } from './order-decision.commands.js';
import { OrderDesk, type OrderFilter } from './order-desk.service.js';
import { orderFile, orderList } from './order-views.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

export const orderCommands: CommandGroup = {
  features: { providers: [OrderDesk] },
  define(order, act) {
    order
      .command('show')
      .description('Show an order with its units and everything that happened to it.')
      .argument('<number-or-reference>', 'our order number, or the merchant’s reference')
      .option('--merchant <id>', 'the merchant, where several use the reference', id)
      .addHelpText('after', examples('order show ord_Np3O7rcsqNmBTwD7', 'order show shop-10001 --merchant 1'))
      .action(
        act(async (app, asked: string, { merchant }: { merchant?: number }) =>
          orderFile(await app.get(OrderDesk).show(asked, merchant)),
        ),
      );

    order
      .command('list')
      .description('List orders of all merchants, newest first.')
      .option(
        '--status <status>',
        `only with this status: ${ORDER_STATUSES.join(', ')}`,
        oneOf(ORDER_STATUSES),
      )
      .option('--older-than <age>', 'only those created this long ago, such as 90s, 15m, 2h or 7d', age)
      .option('--review', 'only those with a unit that waits for topup order resolve')
      .option('--limit <n>', 'how many at most', integer(1, MAX_LIMIT), DEFAULT_LIMIT)
      .addHelpText(
        'after',
        examples('order list --review', 'order list --status processing --older-than 15m'),
      )
      .action(
        act(async (app, filter: OrderFilter) =>
          orderList(await app.get(OrderDesk).list(filter), filter.limit),
        ),
      );

    defineCancel(order, act);
    defineResolve(order, act);
  },
};
