import { invariant, present } from '../core/invariant.js';
import { LIMIT_LOCK_WAIT, type Transaction } from '../database/database.js';
import { LOCK_WAIT_MS, succeeded, type LockWait, type Outcome } from '../database/group-commit.js';
import { recordEvents } from '../events/event-log.js';
import { outcomeDetail, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { LOCK_FREE_WALLETS, LOCK_WALLETS, type LockedWallet } from '../wallet/wallet.sql.js';
import { orderOutcome, type OrderOutcome } from './order-outcome.js';
import { toOrderDto } from './order.dto.js';
import type { ItemRow, UnitKey } from './order.rows.js';
import { FIND_ITEMS_OF } from './orders.sql.js';
import * as sql from './settlement.sql.js';
import type { LockedOrder, Movement, SettledUnit, UnsettledUnit } from './settlement.sql.js';
import { isTerminalUnit } from './states.js';
import { recordSupplierCalls, type SupplierCall } from './supplier-calls.js';

export interface SettleUnit {
  key: UnitKey;
  merchantId: number;
  outcome: DefiniteOutcome;
  /**
   * The claim whose call was answered: a refusal settles no other. Null where the operator decides, who may do so in
   * `unknown` and `review` only, unless it is a cancellation.
   */
  claim: number | null;
  /** Whether the operator cancels: then only a unit of which certainly nothing was bought is settled. */
  cancels?: boolean;
  /** The supplier calls that decided it, for the timeline; none when the operator did. */
  calls: SupplierCall[];
  /**
   * Something else to write in the same transaction, if the unit is settled by this very command. Commands that share it
   * write it once, for those of them that settled their units.
   */
  alongside?: (tx: Transaction, settled: SettleUnit[]) => void;
}

/**
 * What a command came to.
 * - `settled`: it settled the unit.
 * - `settled_before`: the unit had been settled already.
 * - `superseded`: the unit is open, and somebody else's: a refusal that answers an older call says nothing of it.
 * - `contradiction`: the unit was settled otherwise, and what its supplier says now is on record as a case.
 */
export type Settled = 'settled' | 'settled_before' | 'superseded' | 'contradiction';

export type EndedOrder = LockedOrder & { items: ItemRow[]; outcome: OrderOutcome };

export interface Settlement {
  /** Of each command; none where its order or wallet is locked by somebody else. */
  outcomes: Map<SettleUnit, Outcome<Settled>>;
  ended: EndedOrder[];
  /** The webhooks that have something to deliver: known with the commit, which need not wait for it. */
  webhooks: Promise<number[]>;
}

const name = ({ orderId, item, unit }: UnitKey): string => `${orderId}.${item}.${unit}`;

/** Settles units, and what ends with them, in the open transaction. */
export async function settleBatch(tx: Transaction, given: SettleUnit[], wait: LockWait): Promise<Settlement> {
  tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS[wait]]);
  const commands = wait === 'never' ? await keepFree(tx, given) : given;
  const decisive = decisiveOf(commands);
  const [orders, units] = await Promise.all([
    tx.query<LockedOrder>(sql.LOCK_ORDERS, [[...new Set(commands.map(({ key }) => key.orderId))]]),
    settleUnits(tx, [...decisive.values()]),
  ]);
  const settled = new Set<SettleUnit>();
  for (const { order_id: orderId, item, unit } of units) {
    const command = decisive.get(name({ orderId, item, unit }));
    if (command) settled.add(command);
  }
  recordSupplierCalls(tx, commands.flatMap(({ calls }) => calls)); // prettier-ignore
  for (const [alongside, together] of byAlongside(commands, settled)) alongside(tx, together);
  startOrders(tx, commands.filter((command) => command.cancels && !settled.has(command))); // prettier-ignore
  const others = await findUnsettled(tx, commands.filter((command) => !settled.has(command))); // prettier-ignore
  const outcomes = new Map<SettleUnit, Outcome<Settled>>(
    commands.map((command) => [command, succeeded(others.get(command) ?? 'settled')]),
  );
  if (units.length === 0) return { outcomes, ended: [], webhooks: recordEvents(tx, []) };

  const { now } = present(orders[0], 'a settled unit has an order');
  const endedItems = await countUnits(tx, units);
  const { ended, wallets } = await endOrders(tx, orders, endedItems, now);
  if (ended.length > 0) moveMoney(tx, ended, wallets);
  const events = ended.map((order) => toEvent(order, now));
  return { outcomes, ended, webhooks: recordEvents(tx, events) };
}

/**
 * The commands whose orders and wallets nobody else holds; those are locked then, orders before wallets as ever. More
 * wallets than the batch may need, because which orders end is not known yet.
 */
async function keepFree(tx: Transaction, commands: SettleUnit[]): Promise<SettleUnit[]> {
  const asked = [...new Set(commands.map(({ key }) => key.orderId))];
  const orders = new Set((await tx.query<LockedOrder>(sql.LOCK_FREE_ORDERS, [asked])).map(({ id }) => id));
  const open = commands.filter(({ key }) => orders.has(key.orderId));
  const merchants = [...new Set(open.map(({ merchantId }) => merchantId))];
  const wallets = await tx.query<LockedWallet>(LOCK_FREE_WALLETS, [merchants]);
  const free = new Set(wallets.map(({ merchant_id }) => merchant_id));
  return open.filter(({ merchantId }) => free.has(merchantId));
}

/**
 * The one command for each unit that may settle it, where several meet in a batch: what was bought was bought; of
 * refusals only that of the latest claim can count.
 */
function decisiveOf(commands: SettleUnit[]): Map<string, SettleUnit> {
  const rank = ({ outcome, claim }: SettleUnit): number =>
    outcome.kind === 'succeeded' ? Infinity : (claim ?? -1);
  const decisive = new Map<string, SettleUnit>();
  for (const command of commands) {
    const other = decisive.get(name(command.key));
    if (!other || rank(command) > rank(other)) decisive.set(name(command.key), command);
  }
  return decisive;
}

function settleUnits(tx: Transaction, commands: SettleUnit[]): Promise<SettledUnit[]> {
  const outcomes = commands.map(({ outcome }) => outcome);
  return tx.query<SettledUnit>(sql.SETTLE_UNITS, [
    commands.map(({ key }) => key.orderId),
    commands.map(({ key }) => key.item),
    commands.map(({ key }) => key.unit),
    outcomes.map(({ kind }) => kind),
    outcomes.map(supplierReferenceOf),
    outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.code : null)),
    outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.message : null)),
    commands.map(({ claim }) => claim),
    commands.map(({ cancels = false }) => cancels),
  ]);
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

/** A worker that claims a unit does not mark its order as started while we keep that locked. */
function startOrders(tx: Transaction, tooLate: SettleUnit[]): void {
  if (tooLate.length > 0) tx.write(sql.START_ORDERS, [tooLate.map(({ key }) => key.orderId)]);
}

const supplierReferenceOf = (outcome: DefiniteOutcome): string | null =>
  outcome.kind === 'succeeded' ? outcome.supplierReference : null;

/** What those commands came to that settled nothing; answers of suppliers that contradict a settled unit become cases. */
async function findUnsettled(tx: Transaction, commands: SettleUnit[]): Promise<Map<SettleUnit, Settled>> {
  const answers = commands.filter(({ claim }) => claim !== null);
  // The operator's word is not a supplier's, and a second decision is no case.
  const found = new Map<SettleUnit, Settled>(commands.map((command) => [command, 'settled_before']));
  if (answers.length === 0) return found;
  const outcomes = answers.map(({ outcome }) => outcome);
  const units = await tx.query<UnsettledUnit>(sql.FIND_UNSETTLED, [
    answers.map(({ key }) => key.orderId),
    answers.map(({ key }) => key.item),
    answers.map(({ key }) => key.unit),
    outcomes.map(({ kind }) => kind),
    outcomes.map(supplierReferenceOf),
    outcomes.map(outcomeDetail),
  ]);
  for (const { answer, state, is_new_case } of units) {
    const command = answers[Number(answer) - 1];
    const settled = is_new_case ? 'contradiction' : isTerminalUnit(state) ? 'settled_before' : 'superseded';
    if (command) found.set(command, settled);
  }
  return found;
}

/** @returns how many items of each order have ended with these units. */
async function countUnits(tx: Transaction, units: SettledUnit[]): Promise<Map<bigint, number>> {
  const counts = new Map<string, { orderId: bigint; item: number; succeeded: number; failed: number }>();
  for (const { order_id: orderId, item, state } of units) {
    const key = `${orderId}.${item}`;
    const count = counts.get(key) ?? { orderId, item, succeeded: 0, failed: 0 };
    count[state]++;
    counts.set(key, count);
  }
  const rows = [...counts.values()];
  const items = await tx.query<Pick<ItemRow, 'order_id' | 'status'>>(sql.COUNT_UNITS, [
    rows.map(({ orderId }) => orderId),
    rows.map(({ item }) => item),
    rows.map(({ succeeded }) => succeeded),
    rows.map(({ failed }) => failed),
  ]);
  const ended = new Map<bigint, number>(items.map(({ order_id }) => [order_id, 0]));
  for (const { order_id, status } of items) {
    if (status === 'completed' || status === 'failed')
      ended.set(order_id, present(ended.get(order_id), 'an item that ended belongs to a settled unit') + 1);
  }
  return ended;
}

/** Brings the orders of settled units up to date. @returns those that ended, as they stand now, and their wallets. */
async function endOrders(
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
          tx.query<ItemRow>(FIND_ITEMS_OF, [closing.map(({ id }) => id)]),
          tx.query<LockedWallet>(LOCK_WALLETS, [[...new Set(closing.map(({ merchant_id }) => merchant_id))]]),
        ]);
  const ended = closing.map((order) => endOrder(order, items.filter(({ order_id }) => order_id === order.id), now)); // prettier-ignore
  const open = touched.filter(({ open_items }) => open_items > 0);
  const rows = [...ended, ...open.map((order) => ({ ...order, status: 'processing' as const }))];
  tx.write(sql.UPDATE_ORDERS, [
    rows.map(({ id }) => id),
    rows.map(({ status }) => status),
    rows.map(({ open_items }) => open_items),
    rows.map(({ failure_code }) => failure_code),
    rows.map(({ failure_message }) => failure_message),
    now,
  ]);
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
function moveMoney(tx: Transaction, ended: EndedOrder[], locked: LockedWallet[]): void {
  const wallets = new Map(
    locked.map(({ merchant_id, available }) => [merchant_id, { available, returned: 0n, leaving: 0n }]),
  );
  const movements: Movement[] = [];
  for (const { id: orderId, merchant_id: merchantId, outcome } of ended) {
    const wallet = present(wallets.get(merchantId), 'a merchant has a wallet');
    const before = wallet.available;
    wallet.available += outcome.refunded;
    wallet.returned += outcome.refunded;
    wallet.leaving += outcome.refunded + outcome.spent;
    const parts = [
      { kind: 'order_spend', amount: outcome.spent, availableAfter: before },
      { kind: 'order_refund', amount: outcome.refunded, availableAfter: wallet.available },
    ] as const;
    for (const part of parts) if (part.amount > 0n) movements.push({ ...part, merchantId, orderId });
  }
  const totals = [...wallets.values()];
  tx.write(sql.MOVE_MONEY, [
    movements.map(({ merchantId }) => merchantId),
    movements.map(({ kind }) => kind),
    movements.map(({ amount }) => amount),
    movements.map(({ availableAfter }) => availableAfter),
    movements.map(({ orderId }) => orderId),
    [...wallets.keys()],
    totals.map(({ returned }) => returned),
    totals.map(({ leaving }) => leaving),
  ]);
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
