import type { Command } from 'commander';
import { FAILURE_MESSAGES, isUnitFailureCode, type UnitFailureCode } from '../../orders/failures.js';
import { ORDER_STATUSES } from '../../orders/states.js';
import { examples, type Act, type CommandGroup } from './command-group.js';
import { ASKS_FIRST, confirm } from './confirm.js';
import { age, id, integer, oneOf, operatorOption, unit, yesOption } from './options.js';
import { OrderDesk, type OrderFilter } from './order-desk.service.js';
import type { Verdict } from './order-resolution.service.js';
import { orderFile, orderList } from './order-views.js';
import { CommandError } from './problems.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const UNIT_FAILURE_CODES = Object.keys(FAILURE_MESSAGES).filter(isUnitFailureCode);

interface ResolveGiven {
  unit: { item: number; unit: number };
  succeeded?: boolean;
  failed?: UnitFailureCode;
  supplierReference?: string;
  reason: string;
  operator: string;
  yes?: boolean;
}

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

    defineResolve(order, act);
  },
};

function defineResolve(order: Command, act: Act): void {
  order
    .command('resolve')
    .description(
      'Settle a unit in unknown or review by your word, after you asked the supplier what became of it.',
    )
    .argument('<number>', 'our order number')
    .requiredOption('--unit <item.unit>', 'which unit, such as 1.2', unit)
    .option('--succeeded', 'the supplier delivered it: it is paid for')
    .option(
      '--failed <code>',
      `it was not delivered: its price is returned (${UNIT_FAILURE_CODES.join(', ')})`,
      oneOf(UNIT_FAILURE_CODES),
    )
    .option('--supplier-reference <text>', 'with --succeeded: what the supplier calls the purchase')
    .requiredOption('--reason <text>', 'how you know, for the record')
    .addOption(operatorOption())
    .addOption(yesOption())
    .addHelpText(
      'after',
      ASKS_FIRST +
        examples(
          'order resolve ord_Np3O7rcsqNmBTwD7 --unit 1.2 --succeeded --reason "confirmed by acme, ticket 4711"',
          'order resolve ord_Np3O7rcsqNmBTwD7 --unit 1.2 --failed OUT_OF_STOCK --reason "acme never charged it"',
        ),
    )
    .action(
      act(
        async (app, orderNumber: string, given: ResolveGiven) => {
          const { reason, operator, unit, yes } = given;
          const resolution = { orderNumber, ...unit, verdict: toVerdict(given), reason, operator };
          await confirm(inWords(orderNumber, given), { yes });
          const { OrderResolution } = await import('./order-resolution.service.js');
          await app.get(OrderResolution).resolve(resolution);
          return orderFile(await app.get(OrderDesk).show(orderNumber));
        },
        // Settling knows the queues, whose library the other commands need not wait for.
        async () => (await import('./order-resolution.features.js')).orderResolutionFeatures,
      ),
    );
}

function inWords(orderNumber: string, { unit: { item, unit }, failed }: ResolveGiven): string {
  const consequence = failed === undefined ? 'succeeded: it is paid for' : `failed: its price is returned`;
  return `Unit ${item}.${unit} of ${orderNumber} is settled for good as ${consequence}.`;
}

function toVerdict({ succeeded = false, failed, supplierReference }: ResolveGiven): Verdict {
  if (succeeded === (failed !== undefined)) {
    throw new CommandError('say what became of the unit: either --succeeded or --failed with a code');
  }
  if (failed === undefined) return { succeeded: true, supplierReference };
  if (supplierReference === undefined) return { succeeded: false, code: failed };
  throw new CommandError('--supplier-reference goes with --succeeded: a failed unit has none');
}
