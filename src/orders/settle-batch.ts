import { groupBy } from '../core/groups.js';
import { invariant, present } from '../core/invariant.js';
import { LIMIT_LOCK_WAIT, type Transaction } from '../database/database.js';
import { LOCK_WAIT_MS, succeeded, type LockWait, type BatchResult } from '../database/group-commit.js';
import { recordEvents } from '../events/event-log.js';
import type { UnitDeliveriesRepository } from './codes/unit-deliveries.repository.js';
import type { LockedWallet, WalletsRepository } from '../wallet/wallets.repository.js';
import { orderOutcome, type OrderOutcome } from './order-outcome.js';
import { toOrderDto } from './order.mapper.js';
import type { ItemRow, UnitKey } from './order.rows.js';
import {
  callInUnitRow,
  isAboutOneSend,
  isSupplierAnswer,
  toAnswerRow,
  toDeliveriesToStore,
  toSettledRow,
  type SettleUnit,
} from './settle-unit.js';
import type {
  SettlementRepository,
  CountRow,
  LockedOrder,
  MovementRow,
  SettledUnit,
  WrittenUnit,
} from './settlement.repository.js';
import { isTerminalUnit } from './states.js';

export interface Repositories {
  settlement: SettlementRepository;
  wallets: WalletsRepository;
  deliveries: UnitDeliveriesRepository;
}

/**
 * The result of a command.
 * - `settled`: the command settled the unit.
 * - `settled_before`: the unit was already settled. An operator's command also gets this result if it may not settle
 *   the unit now.
 * - `review`: the answer is a refusal, but a supplier has reported that an earlier attempt bought the unit. The unit
 *   went to review.
 * - `superseded`: the unit stays open. The answer is about an older claim or attempt, or a success without its code, or
 *   a refusal that does not count: it is about one of several sends, or the unit waits to be sent.
 * - `reversal`: the answer contradicts the unit's settlement, or reports that an earlier attempt bought the unit. The
 *   batch opened or changed a discrepancy.
 */
export type SettleResult = 'settled' | 'settled_before' | 'review' | 'superseded' | 'reversal';

export type EndedOrder = LockedOrder & { items: ItemRow[]; outcome: OrderOutcome };

export interface Settlement {
  /** The result of each command, except those whose order or wallet another transaction has locked. */
  outcomes: Map<SettleUnit, BatchResult<SettleResult>>;
  ended: EndedOrder[];
  /** The webhooks with new deliveries. Await this promise only after the commit: to await it earlier costs a round trip. */
  webhooks: Promise<number[]>;
}

const unitKey = ({ orderId, item, unit }: UnitKey): string => `${orderId}.${item}.${unit}`;

/** Settles units in the open transaction, ends their items and orders, and moves the money of ended orders. */
export async function settleBatch(
  repositories: Repositories,
  tx: Transaction,
  allCommands: SettleUnit[],
  wait: LockWait,
): Promise<Settlement> {
  const { settlement, deliveries } = repositories;
  tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS[wait]]);
  const commands = wait === 'never' ? await lockFree(repositories, tx, allCommands) : allCommands;
  const winners = winnersOf(commands.filter(maySettle));
  const [orders, written] = await Promise.all([
    settlement.lockOrders(
      tx,
      commands.map(({ key }) => key.orderId),
    ),
    settlement.settleUnits(
      tx,
      [...winners.values()].map((command) => toSettledRow(command, isSoldBefore(command, commands))),
    ),
  ]);
  const units = written.filter(isSettled);
  const settled = new Set<SettleUnit>();
  const reviewed = new Set<SettleUnit>();
  for (const { order_id: orderId, item, unit, state } of written) {
    const command = winners.get(unitKey({ orderId, item, unit }));
    if (command) (state === 'review' ? reviewed : settled).add(command);
  }
  deliveries.store(tx, toDeliveriesToStore(commands, settled));
  settlement.recordCalls(
    tx,
    commands
      .filter(isSupplierAnswer)
      .filter((command) => !settled.has(command) || callInUnitRow(command) === null)
      .flatMap(({ calls }) => calls),
  );
  const applied = commands.filter((command) => settled.has(command) || reviewed.has(command));
  for (const [alsoWrite, sharing] of groupBy(applied, (command) => command.alsoWrite)) alsoWrite?.(tx, sharing);
  const others = await judgeUnsettled(
    repositories,
    tx,
    commands.filter((command) => !settled.has(command)),
  );
  const outcomes = new Map<SettleUnit, BatchResult<SettleResult>>(
    commands.map((command) => [
      command,
      succeeded(reviewed.has(command) ? 'review' : (others.get(command) ?? 'settled')),
    ]),
  );
  if (units.length === 0) return { outcomes, ended: [], webhooks: recordEvents(tx, []) };

  const { now } = present(orders[0], 'a settled unit has an order');
  const endedItemCounts = countEnded(await settlement.countUnits(tx, countsOf(units)));
  const { ended, wallets } = await endOrders(repositories, tx, orders, endedItemCounts, now);
  if (ended.length > 0) moveMoney(repositories, tx, ended, wallets);
  const events = ended.map((order) => toEvent(order, now));
  return { outcomes, ended, webhooks: recordEvents(tx, events) };
}

/**
 * Locks the commands' orders and then their wallets, in the order that all code uses. Skips rows that another
 * transaction has locked. Locks the wallets of all these orders, because it is not known yet which orders end.
 * @returns the commands whose order and wallet this transaction has locked.
 */
async function lockFree(
  { settlement, wallets }: Repositories,
  tx: Transaction,
  commands: SettleUnit[],
): Promise<SettleUnit[]> {
  const unlocked = await settlement.lockFreeOrders(
    tx,
    commands.map(({ key }) => key.orderId),
  );
  const orders = new Set(unlocked.map(({ id }) => id));
  const inLockedOrders = commands.filter(({ key }) => orders.has(key.orderId));
  const locked = await wallets.lockMany(
    tx,
    inLockedOrders.map(({ merchantId }) => merchantId),
    'never',
  );
  const merchants = new Set(locked.map(({ merchant_id }) => merchant_id));
  return inLockedOrders.filter(({ merchantId }) => merchants.has(merchantId));
}

const isSettled = (unit: WrittenUnit): unit is SettledUnit => unit.state !== 'review';

const maySettle = (command: SettleUnit): boolean => !(isSupplierAnswer(command) && command.lacksCode);

/** Chooses for each unit the command that may settle it. */
function winnersOf(commands: SettleUnit[]): Map<string, SettleUnit> {
  const winners = new Map<string, SettleUnit>();
  for (const command of commands) {
    const unit = unitKey(command.key);
    const other = winners.get(unit);
    if (!other || comparePrecedence(precedenceOf(command), precedenceOf(other)) > 0) winners.set(unit, command);
  }
  return winners;
}

type Precedence = readonly [attempt: number, weight: number, claim: number];

/**
 * Among the commands about one unit, the one with the highest precedence may settle the unit:
 * - A supplier's answer wins over an operator's command, and the answer about the latest attempt over other answers.
 * - Of the answers about one attempt, a success wins. Then comes a refusal in a report about all sends, and then the
 *   refusal of a call, with the latest claim first. A refusal in a report about one send comes last, because it may be
 *   about another send than the last one.
 */
function precedenceOf({ by, outcome }: SettleUnit): Precedence {
  if (by.kind === 'operator' || by.kind === 'cancellation') return [-1, 0, 0];
  if (outcome.kind === 'succeeded') return [by.attempt, 2, 0];
  return by.kind === 'call' ? [by.attempt, 0, by.claim] : [by.attempt, isAboutOneSend(by) ? -1 : 1, 0];
}

const comparePrecedence = (one: Precedence, other: Precedence): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/** Whether the command is a refusal, and the batch reports that an earlier attempt bought the unit. */
const isSoldBefore = ({ key, by, outcome }: SettleUnit, commands: SettleUnit[]): boolean =>
  outcome.kind === 'failed' &&
  'attempt' in by &&
  by.attempt > 1 &&
  commands.some(
    (other) =>
      unitKey(other.key) === unitKey(key) &&
      isSupplierAnswer(other) &&
      other.by.attempt < by.attempt &&
      other.outcome.kind === 'succeeded',
  );

/** Finds the results of commands that settled nothing. Opens discrepancies for answers that contradict a settled unit. */
async function judgeUnsettled(
  { settlement }: Repositories,
  tx: Transaction,
  commands: SettleUnit[],
): Promise<Map<SettleUnit, SettleResult>> {
  const answers = commands.filter(isSupplierAnswer);
  // Only a supplier's answer can contradict a settlement. A second decision by an operator cannot.
  const results = new Map<SettleUnit, SettleResult>(commands.map((command) => [command, 'settled_before']));
  if (answers.length === 0) return results;
  const units = await settlement.judgeUnsettled(tx, answers.map(toAnswerRow));
  for (const { answer, state, changes_discrepancy } of units) {
    const command = answers[Number(answer) - 1];
    const settled = changes_discrepancy ? 'reversal' : isTerminalUnit(state) ? 'settled_before' : 'superseded';
    if (command) results.set(command, settled);
  }
  return results;
}

/** Counts the newly settled units of each item. */
function countsOf(units: SettledUnit[]): CountRow[] {
  const counts = new Map<string, { order_id: bigint; item: number; succeeded: number; failed: number }>();
  for (const { order_id, item, state } of units) {
    const key = `${order_id}.${item}`;
    const count = counts.get(key) ?? { order_id, item, succeeded: 0, failed: 0 };
    count[state]++;
    counts.set(key, count);
  }
  return [...counts.values()].map(({ succeeded: completed, ...count }) => ({ ...count, completed }));
}

/** Counts the newly ended items of each order. @param items the items with newly settled units, after the update. */
function countEnded(items: Pick<ItemRow, 'order_id' | 'status'>[]): Map<bigint, number> {
  const ended = new Map<bigint, number>(items.map(({ order_id }) => [order_id, 0]));
  for (const { order_id, status } of items) {
    if (status === 'completed' || status === 'failed')
      ended.set(order_id, present(ended.get(order_id), 'an ended item belongs to a counted order') + 1);
  }
  return ended;
}

/** Updates the orders of settled units. @returns the orders that ended, with their new values, and their locked wallets. */
async function endOrders(
  { settlement, wallets: walletsRepository }: Repositories,
  tx: Transaction,
  orders: LockedOrder[],
  endedItemCounts: Map<bigint, number>,
  now: Date,
): Promise<{ ended: EndedOrder[]; wallets: LockedWallet[] }> {
  const touched = orders.flatMap((order) => {
    const count = endedItemCounts.get(order.id);
    return count === undefined ? [] : [{ ...order, open_items: order.open_items - count }];
  });
  invariant(touched.length === endedItemCounts.size, 'a settled unit has an order');
  invariant(
    touched.every(({ open_items }) => open_items >= 0),
    'no more items of an order end than were open',
  );
  const ending = touched.filter(({ open_items }) => open_items === 0);
  const [items, wallets] =
    ending.length === 0
      ? [[], []]
      : await Promise.all([
          settlement.itemsOf(
            tx,
            ending.map(({ id }) => id),
          ),
          walletsRepository.lockMany(
            tx,
            ending.map(({ merchant_id }) => merchant_id),
          ),
        ]);
  const ended = ending.map((order) =>
    endOrder(
      order,
      items.filter(({ order_id }) => order_id === order.id),
      now,
    ),
  );
  const stillOpen = touched.filter(({ open_items }) => open_items > 0);
  settlement.updateOrders(tx, [...ended, ...stillOpen.map((order) => ({ ...order, status: 'processing' }))], now);
  return { ended, wallets };
}

function endOrder(order: LockedOrder, items: ItemRow[], now: Date): EndedOrder {
  const outcome = orderOutcome(items);
  invariant(
    outcome.spent + outcome.refunded === order.total_amount,
    'what an ended order spends and returns is what it held',
  );
  return {
    ...order,
    items,
    outcome,
    status: outcome.status,
    failure_code: outcome.failureCode,
    failure_message: outcome.failureMessage,
    updated_at: now,
  };
}

/** Spends the held price of bought units, and returns the held price of failed units to the available balance. */
function moveMoney({ settlement }: Repositories, tx: Transaction, ended: EndedOrder[], locked: LockedWallet[]): void {
  const wallets = new Map(
    locked.map(({ merchant_id, available }) => [merchant_id, { available, returned: 0n, leaving: 0n }]),
  );
  const movements: MovementRow[] = [];
  for (const { id: order_id, merchant_id, outcome } of ended) {
    const wallet = present(wallets.get(merchant_id), 'a merchant has a wallet');
    const before = wallet.available;
    wallet.available += outcome.refunded;
    wallet.returned += outcome.refunded;
    wallet.leaving += outcome.refunded + outcome.spent;
    const parts = [
      { kind: 'order_spend', amount: outcome.spent, available_after: before },
      { kind: 'order_refund', amount: outcome.refunded, available_after: wallet.available },
    ];
    for (const part of parts) if (part.amount > 0n) movements.push({ merchant_id, order_id, ...part });
  }
  const changes = [...wallets].map(([merchant_id, { returned, leaving }]) => ({
    merchant_id,
    returned,
    leaving,
  }));
  settlement.moveMoney(tx, movements, changes);
}

function toEvent(order: EndedOrder, at: Date): Parameters<typeof recordEvents>[1][number] {
  return {
    merchantId: order.merchant_id,
    kind: `order.${order.outcome.status}`,
    orderId: order.id,
    referenceId: order.reference_id,
    data: toOrderDto(order, order.items),
    at,
  };
}
