import type { CommandFeatures } from '../cli.module.js';
import type { Actor } from '../audit-log/audit-log.js';
import { failure, UNIT_FAILURE_CODES, type UnitFailureCode } from '../core/failures.js';
import { unitName, type OrderRow, type UnitKey } from '../orders/order.rows.js';
import { operatorOption, type OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { id, integer, oneOf, unit } from './options.js';
import type { UnitToDecide } from '../support/order-support.repository.js';
import { OrderSupportService } from '../support/order-support.service.js';
import type { DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { uncancelledInWords, CommandError, reasonOf } from './problems.js';
import type { Result } from './output.js';
import { orderDetail } from './order-views.js';

type Unit = Pick<UnitKey, 'item' | 'unit'>;

interface DecisionGiven extends Actor {
  merchant?: number;
  reason: string;
  yes?: boolean;
}

interface CancelGiven extends DecisionGiven {
  unit?: Unit;
}

interface ResolveGiven extends DecisionGiven {
  unit: Unit;
  succeeded?: boolean;
  failed?: UnitFailureCode;
  supplierReference?: string;
  attempt?: number;
}

/** A command that decides about units of an order, with the options of all such commands. */
const defineDecision = (order: OperatorCommand, name: string, description: string): OperatorCommand =>
  order
    .command(name)
    .description(description)
    .argument('<number-or-reference>', 'order number or merchant’s reference')
    .option('--merchant <id>', 'merchant id, if several merchants use the reference', id)
    .requiredOption('--reason <text>', 'evidence or reason, for topup log; up to 500 characters')
    .addOption(operatorOption())
    .asksFirst();

// Only these commands load the modules for settling: most of a command's time goes into loading code.
const features = async (): Promise<CommandFeatures> => ({
  imports: [
    (await import('../queues/no-queues.module.js')).NoQueuesModule,
    (await import('../support/order-decisions.module.js')).OrderDecisionsModule,
  ],
});

export function defineCancel(order: OperatorCommand): void {
  defineDecision(
    order,
    'cancel',
    'Cancel the units of an order that were certainly not bought, and refund their price. ' +
      'Units that are being bought, in doubt or settled stay as they are.',
  )
    .option('--unit <item.unit>', 'single unit to cancel, such as 1.2', unit)
    .examples(
      'order cancel ord_Np3O7rcsqNmBTwD7 --reason "the buyer changed their mind, ticket 4711"',
      'order cancel shop-10001 --merchant 1 --unit 1.2 --reason "acme is closed until Monday"',
    )
    .does(async (app, numberOrReference: string, { merchant, unit, yes, ...by }: CancelGiven) => {
      const orders = app.get(OrderSupportService);
      const order = await orders.getByNumberOrReference(numberOrReference, merchant);
      const what = unit ? `Unit ${unitName(unit)}` : 'Every unit';
      const consequence = `${what} of ${order.order_number} that was not bought fails for good: its price is returned.`;
      await confirm(consequence, { yes });
      const { OrderCancellationService } = await import('../support/order-cancellation.service.js');
      const { uncancelled } = await app.get(OrderCancellationService).cancel({ order, units: unit && [unit], by });
      const warnings = uncancelled.map(uncancelledInWords);
      const done = [...warnings, 'the units that were not bought are cancelled'].join('\n  ');
      return { ...(await showDecided(orders, order, done)), warnings };
    }, features);
}

export function defineResolve(order: OperatorCommand): void {
  defineDecision(
    order,
    'resolve',
    'Settle a unit in state unknown or review by hand, after an inquiry at the supplier.',
  )
    .requiredOption('--unit <item.unit>', 'unit to settle, such as 1.2', unit)
    .option('--succeeded', 'outcome: the supplier delivered the unit, and its price is spent')
    .option(
      '--failed <code>',
      `outcome: the unit was not delivered, and its price is refunded (${UNIT_FAILURE_CODES.join(', ')})`,
      oneOf(UNIT_FAILURE_CODES),
    )
    .option('--supplier-reference <text>', 'the supplier’s reference of the purchase, with --succeeded')
    .option(
      '--attempt <number>',
      'attempt that the outcome is about; refused if a later attempt began',
      integer(1, 32_767),
    )
    .examples(
      'order resolve ord_Np3O7rcsqNmBTwD7 --unit 1.2 --succeeded --reason "confirmed by acme, ticket 4711"',
      'order resolve shop-10001 --unit 1.2 --failed OUT_OF_STOCK --reason "acme never charged it"',
    )
    .does(async (app, numberOrReference: string, given: ResolveGiven) => {
      const { merchant, reason, operator, unit, yes } = given;
      const outcome = toOutcome(given);
      const orders = app.get(OrderSupportService);
      const order = await orders.getByNumberOrReference(numberOrReference, merchant);
      const latest = await orders.findLatestAttempt(order, unit);
      await confirm(inWords(order.order_number, given, latest), { yes });
      // The operator decides about this attempt only. The service refuses if a later one began during the confirmation.
      const seenAttempt = given.attempt ?? latest?.number;
      const { OrderResolutionService } = await import('../support/order-resolution.service.js');
      const decided = { order, ...unit, seenAttempt, outcome, reason, operator };
      await app.get(OrderResolutionService).resolve(decided);
      return showDecided(orders, order, `unit ${unitName(unit)} is settled`);
    }, features);
}

/** Shows the order after a decision. If the order can't be shown, the error says that the decision was made. */
async function showDecided(
  orders: OrderSupportService,
  { order_number: number }: OrderRow,
  done: string,
): Promise<Result> {
  try {
    return orderDetail(await orders.show(number));
  } catch (error) {
    throw new CommandError(
      `${done}, but order ${number} can't be shown (${reasonOf(error)}): topup order show ${number}`,
    );
  }
}

function inWords(orderNumber: string, { unit, failed }: ResolveGiven, latest: UnitToDecide['attempt']): string {
  const consequence = failed === undefined ? 'succeeded: it is paid for' : `failed: its price is returned`;
  const of = latest ? ` (attempt ${latest.number}, at ${latest.supplier})` : '';
  return `Unit ${unitName(unit)} of ${orderNumber}${of} is settled for good as ${consequence}.`;
}

function toOutcome({ succeeded = false, failed, supplierReference }: ResolveGiven): DefiniteOutcome {
  if (succeeded === (failed !== undefined)) {
    throw new CommandError('give the outcome of the unit: either --succeeded or --failed with a code');
  }
  if (failed === undefined) return { kind: 'succeeded', supplierReference: supplierReference ?? null };
  if (supplierReference === undefined) return { kind: 'failed', ...failure(failed) };
  throw new CommandError('--supplier-reference goes with --succeeded: a failed unit has none');
}
