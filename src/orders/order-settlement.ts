import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { recordEvents } from '../events/event-log.js';
import { WakeUps } from '../queues/wake-ups.js';
import { LOCK_WALLETS, type LockedWallet } from '../wallet/wallet.sql.js';
import { orderOutcome, type OrderOutcome } from './order-outcome.js';
import { toOrderDto } from './order.dto.js';
import type { ItemRow, UnitKey } from './order.rows.js';
import { FIND_ITEMS_OF } from './orders.sql.js';
import * as sql from './settlement.sql.js';
import type { LockedOrder, Movement, SettledUnit, UnitResult } from './settlement.sql.js';
import { recordSupplierCalls, type SupplierCall } from './supplier-calls.js';

export type { UnitResult };

export interface SettleUnit {
  key: UnitKey;
  result: UnitResult;
  /** The supplier calls that decided it, for the timeline; none when the operator did. */
  calls: SupplierCall[];
  /** Settle it only in `unknown` or `review`, as the operator may. */
  onlyInDoubt?: boolean;
  /** Something else to write in the same transaction, if the unit is settled by this very command. */
  alongside?: (tx: Transaction) => void;
}

type EndedOrder = LockedOrder & { items: ItemRow[]; outcome: OrderOutcome };

/**
 * Settles units in batches: the unit; with an item's last unit the item; and with an order's last item the order, the
 * money, the event and its deliveries, all in one transaction.
 */
@Injectable()
export class OrderSettlement {
  private readonly writer = new GroupCommit<SettleUnit, boolean>({
    commit: async (commands) => {
      const { settled, ended, webhooks } = await this.database.transaction((tx) => settleBatch(tx, commands));
      if (ended.length > 0) failpoint('order.ended');
      this.wakeUps.webhooks(await webhooks);
      for (const order of ended) this.report(order);
      return commands.map((command) => succeeded(settled.has(command)));
    },
    onBatch: (waitedMs) => this.metrics.batches.settlement(waitedMs),
  });

  constructor(
    private readonly database: Database,
    private readonly wakeUps: WakeUps,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Makes a unit terminal.
   * @returns whether this command did it; false when the unit was settled before.
   */
  settle(command: SettleUnit): Promise<boolean> {
    return this.writer.submit(command);
  }

  private report({ outcome, ...order }: EndedOrder): void {
    const durationMs = order.updated_at.getTime() - order.created_at.getTime();
    this.metrics.orderEnded(outcome.status, durationMs / 1000);
    const about = {
      requestId: order.request_id ?? undefined,
      orderNumber: order.order_number,
      merchantId: order.merchant_id,
      referenceId: order.reference_id,
      durationMs,
    };
    if (outcome.status === 'completed') this.logger.info(about, 'order completed');
    else this.logger.info({ ...about, failureCode: outcome.failureCode }, 'order failed');
  }
}

interface Settlement {
  /** The commands that settled their unit. */
  settled: Set<SettleUnit>;
  ended: EndedOrder[];
  /** The webhooks that have something to deliver: known with the commit, which need not wait for it. */
  webhooks: Promise<number[]>;
}

const name = ({ orderId, item, unit }: UnitKey): string => `${orderId}.${item}.${unit}`;

async function settleBatch(tx: Transaction, commands: SettleUnit[]): Promise<Settlement> {
  // Two answers about one unit may meet in a batch: the first counts, as it would in batches of their own.
  const first = new Map([...commands].reverse().map((command) => [name(command.key), command]));
  const [orders, units] = await Promise.all([
    tx.query<LockedOrder>(sql.LOCK_ORDERS, [[...new Set(commands.map(({ key }) => key.orderId))]]),
    settleUnits(tx, [...first.values()]),
  ]);
  const settled = new Set<SettleUnit>();
  for (const { order_id: orderId, item, unit } of units) {
    const command = first.get(name({ orderId, item, unit }));
    if (command) settled.add(command);
  }
  recordSupplierCalls(tx, commands.flatMap(({ calls }) => calls)); // prettier-ignore
  for (const { alongside } of settled) alongside?.(tx);
  if (units.length === 0) return { settled, ended: [], webhooks: recordEvents(tx, []) };

  const now = orders[0]?.now ?? new Date();
  const endedItems = await countUnits(tx, units);
  const { ended, wallets } = await endOrders(tx, orders, endedItems, now);
  if (ended.length > 0) moveMoney(tx, ended, wallets);
  const events = ended.map((order) => toEvent(order, now));
  return { settled, ended, webhooks: recordEvents(tx, events) };
}

function settleUnits(tx: Transaction, commands: SettleUnit[]): Promise<SettledUnit[]> {
  const results = commands.map(({ result }) => result);
  return tx.query<SettledUnit>(sql.SETTLE_UNITS, [
    commands.map(({ key }) => key.orderId),
    commands.map(({ key }) => key.item),
    commands.map(({ key }) => key.unit),
    results.map(({ state }) => state),
    results.map((result) => (result.state === 'succeeded' ? result.supplierReference : null)),
    results.map((result) => (result.state === 'failed' ? result.code : null)),
    results.map((result) => (result.state === 'failed' ? result.message : null)),
    commands.map(({ onlyInDoubt }) => onlyInDoubt ?? false),
  ]);
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
    if (status === 'completed' || status === 'failed') ended.set(order_id, (ended.get(order_id) ?? 0) + 1);
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
  const touched = orders
    .filter(({ id }) => endedItems.has(id))
    .map((order) => ({ ...order, open_items: order.open_items - (endedItems.get(order.id) ?? 0) }));
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
function moveMoney(tx: Transaction, ended: EndedOrder[], wallets: LockedWallet[]): void {
  const merchants = [...new Set(ended.map(({ merchant_id }) => merchant_id))];
  const available = new Map(wallets.map((wallet) => [wallet.merchant_id, wallet.available]));
  const totals = new Map(merchants.map((id) => [id, { returned: 0n, leaving: 0n }]));
  const movements: Movement[] = [];
  for (const { id: orderId, merchant_id: merchantId, outcome } of ended) {
    const total = totals.get(merchantId);
    if (!total) continue;
    total.returned += outcome.refunded;
    total.leaving += outcome.refunded + outcome.spent;
    const before = available.get(merchantId) ?? 0n;
    const after = before + outcome.refunded;
    available.set(merchantId, after);
    const parts = [
      { kind: 'order_spend', amount: outcome.spent, availableAfter: before },
      { kind: 'order_refund', amount: outcome.refunded, availableAfter: after },
    ] as const;
    for (const part of parts) if (part.amount > 0n) movements.push({ ...part, merchantId, orderId });
  }
  tx.write(sql.MOVE_MONEY, [
    movements.map(({ merchantId }) => merchantId),
    movements.map(({ kind }) => kind),
    movements.map(({ amount }) => amount),
    movements.map(({ availableAfter }) => availableAfter),
    movements.map(({ orderId }) => orderId),
    merchants,
    merchants.map((id) => totals.get(id)?.returned ?? 0n),
    merchants.map((id) => totals.get(id)?.leaving ?? 0n),
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
