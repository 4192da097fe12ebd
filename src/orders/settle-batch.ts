import { invariant, present } from '../core/invariant.js';
import { LIMIT_LOCK_WAIT, type Transaction } from '../database/database.js';
import { LOCK_WAIT_MS, succeeded, type LockWait, type BatchResult } from '../database/group-commit.js';
import { recordEvents } from '../events/event-log.js';
import type { UnitDeliveriesRepository } from './codes/unit-deliveries.repository.js';
import type { LockedWallet, WalletsRepository } from '../wallet/wallets.repository.js';
import { orderOutcome, type OrderOutcome } from './order-outcome.js';
import { toOrderDto } from './order.mapper.js';
import type { ItemRow, UnitKey } from './order.rows.js';
import { isAnswer, toAnswerRow, toKeptRows, toSettledRow, type SettleUnit } from './settle-unit.js';
import type { SettlementRepository } from './settlement.repository.js';
import type { CountRow, LockedOrder, MovementRow, SettledUnit } from './settlement.sql.js';
import { isTerminalUnit } from './states.js';

/** Whose rows settling changes. */
export interface Repositories {
  settlement: SettlementRepository;
  wallets: WalletsRepository;
  deliveries: UnitDeliveriesRepository;
}

/**
 * What a command came to.
 * - `settled`: it settled the unit.
 * - `settled_before`: the unit had been settled already.
 * - `superseded`: the unit is open, and held by a newer claim: a refusal that answers an older call says nothing of it.
 * - `reversal`: the unit was settled otherwise, and what its supplier says now is on record as a reversal.
 */
export type Settled = 'settled' | 'settled_before' | 'superseded' | 'reversal';

export type EndedOrder = LockedOrder & { items: ItemRow[]; outcome: OrderOutcome };

export interface Settlement {
  /** Of each command; none where its order or wallet is locked by another transaction. */
  outcomes: Map<SettleUnit, BatchResult<Settled>>;
  ended: EndedOrder[];
  /** The webhooks that have something to deliver: known with the commit, which need not wait for it. */
  webhooks: Promise<number[]>;
}

const name = ({ orderId, item, unit }: UnitKey): string => `${orderId}.${item}.${unit}`;

/** Settles units, and what ends with them, in the open transaction. */
export async function settleBatch(
  repositories: Repositories,
  tx: Transaction,
  given: SettleUnit[],
  wait: LockWait,
): Promise<Settlement> {
  const { settlement, deliveries } = repositories;
  tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS[wait]]);
  const commands = wait === 'never' ? await keepFree(repositories, tx, given) : given;
  const decisive = decisiveOf(commands.filter(({ lacksCode }) => !lacksCode));
  const [orders, units] = await Promise.all([
    settlement.lockOrders(
      tx,
      commands.map(({ key }) => key.orderId),
    ),
    settlement.settleUnits(tx, [...decisive.values()].map(toSettledRow)),
  ]);
  const settled = new Set<SettleUnit>();
  for (const { order_id: orderId, item, unit } of units) {
    const command = decisive.get(name({ orderId, item, unit }));
    if (command) settled.add(command);
  }
  deliveries.keep(tx, toKeptRows(commands, settled));
  settlement.recordCalls(
    tx,
    commands.flatMap(({ calls }) => calls),
  );
  for (const [alongside, together] of byAlongside(commands, settled)) alongside(tx, together);
  // A worker that claims a unit does not mark its order as started while we keep that locked.
  const tooLate = commands.filter((command) => command.cancels && !settled.has(command));
  settlement.startOrders(
    tx,
    tooLate.map(({ key }) => key.orderId),
  );
  const others = await judgeUnsettled(
    repositories,
    tx,
    commands.filter((command) => !settled.has(command)),
  );
  const outcomes = new Map<SettleUnit, BatchResult<Settled>>(
    commands.map((command) => [command, succeeded(others.get(command) ?? 'settled')]),
  );
  if (units.length === 0) return { outcomes, ended: [], webhooks: recordEvents(tx, []) };

  const { now } = present(orders[0], 'a settled unit has an order');
  const endedItems = countEnded(await settlement.countUnits(tx, countsOf(units)));
  const { ended, wallets } = await endOrders(repositories, tx, orders, endedItems, now);
  if (ended.length > 0) moveMoney(repositories, tx, ended, wallets);
  const events = ended.map((order) => toEvent(order, now));
  return { outcomes, ended, webhooks: recordEvents(tx, events) };
}

/**
 * The commands whose orders and wallets no other transaction has locked; those are locked then, orders before wallets as
 * ever. More wallets than the batch may need, because which orders end is not known yet.
 */
async function keepFree(
  { settlement, wallets }: Repositories,
  tx: Transaction,
  commands: SettleUnit[],
): Promise<SettleUnit[]> {
  const free = await settlement.lockFreeOrders(
    tx,
    commands.map(({ key }) => key.orderId),
  );
  const orders = new Set(free.map(({ id }) => id));
  const open = commands.filter(({ key }) => orders.has(key.orderId));
  const locked = await wallets.lockMany(
    tx,
    open.map(({ merchantId }) => merchantId),
    'never',
  );
  const merchants = new Set(locked.map(({ merchant_id }) => merchant_id));
  return open.filter(({ merchantId }) => merchants.has(merchantId));
}

/**
 * The one command for each unit that may settle it, where several meet in a batch: of the latest attempt, what was bought
 * was bought, whoever else says that it was not; of refusals only that of the latest claim can count, or one that is about
 * the whole attempt.
 */
function decisiveOf(commands: SettleUnit[]): Map<string, SettleUnit> {
  const rank = ({ outcome, attempt, claim }: SettleUnit): number => {
    if (attempt === null) return -1;
    if (outcome.kind === 'succeeded') return attempt * 2 ** 33 + 2 ** 32 + 1;
    return attempt * 2 ** 33 + (claim ?? 2 ** 32);
  };
  const decisive = new Map<string, SettleUnit>();
  for (const command of commands) {
    const other = decisive.get(name(command.key));
    if (!other || rank(command) > rank(other)) decisive.set(name(command.key), command);
  }
  return decisive;
}

type Alongside = NonNullable<SettleUnit['alongside']>;

function byAlongside(commands: SettleUnit[], settled: Set<SettleUnit>): Map<Alongside, SettleUnit[]> {
  const groups = new Map<Alongside, SettleUnit[]>();
  for (const command of commands) {
    const { alongside } = command;
    if (alongside && settled.has(command)) groups.set(alongside, [...(groups.get(alongside) ?? []), command]);
  }
  return groups;
}

/** What those commands came to that settled nothing; answers that contradict a settled unit become reversals. */
async function judgeUnsettled(
  { settlement }: Repositories,
  tx: Transaction,
  commands: SettleUnit[],
): Promise<Map<SettleUnit, Settled>> {
  const answers = commands.filter(isAnswer);
  // The operator's word is not a supplier's, and a second decision is no reversal.
  const found = new Map<SettleUnit, Settled>(commands.map((command) => [command, 'settled_before']));
  if (answers.length === 0) return found;
  const units = await settlement.judgeUnsettled(tx, answers.map(toAnswerRow));
  for (const { answer, state, is_new_reversal } of units) {
    const command = answers[Number(answer) - 1];
    const settled = is_new_reversal ? 'reversal' : isTerminalUnit(state) ? 'settled_before' : 'superseded';
    if (command) found.set(command, settled);
  }
  return found;
}

/** How many units of each item were settled. */
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

/** How many items of each order have ended. @param items those that had units settled, as they are now. */
function countEnded(items: Pick<ItemRow, 'order_id' | 'status'>[]): Map<bigint, number> {
  const ended = new Map<bigint, number>(items.map(({ order_id }) => [order_id, 0]));
  for (const { order_id, status } of items) {
    if (status === 'completed' || status === 'failed')
      ended.set(order_id, present(ended.get(order_id), 'an item that ended belongs to a settled unit') + 1);
  }
  return ended;
}

/** Brings the orders of settled units up to date. @returns those that ended, as they stand now, and their wallets. */
async function endOrders(
  { settlement, wallets: walletsRepository }: Repositories,
  tx: Transaction,
  orders: LockedOrder[],
  endedItems: Map<bigint, number>,
  now: Date,
): Promise<{ ended: EndedOrder[]; wallets: LockedWallet[] }> {
  const touched = orders.flatMap((order) => {
    const count = endedItems.get(order.id);
    return count === undefined ? [] : [{ ...order, open_items: order.open_items - count }];
  });
  invariant(touched.length === endedItems.size, 'a settled unit has an order');
  invariant(
    touched.every(({ open_items }) => open_items >= 0),
    'no more items of an order end than were open',
  );
  const closing = touched.filter(({ open_items }) => open_items === 0);
  const [items, wallets] =
    closing.length === 0
      ? [[], []]
      : await Promise.all([
          settlement.itemsOf(
            tx,
            closing.map(({ id }) => id),
          ),
          walletsRepository.lockMany(
            tx,
            closing.map(({ merchant_id }) => merchant_id),
          ),
        ]);
  const ended = closing.map((order) =>
    endOrder(
      order,
      items.filter(({ order_id }) => order_id === order.id),
      now,
    ),
  );
  const open = touched.filter(({ open_items }) => open_items > 0);
  settlement.updateOrders(tx, [...ended, ...open.map((order) => ({ ...order, status: 'processing' }))], now);
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

/** What was bought leaves the held balance; what was not returns to the available one. */
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
    for (const part of parts) if (part.amount > 0n) movements.push({ ...part, merchant_id, order_id });
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
