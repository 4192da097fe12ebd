import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { AppError, invalidRequest, type ErrorDetail } from '../core/errors.js';
import { failpoint } from '../core/failpoints.js';
import { newOrderNumber } from '../core/identifiers.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { formatBaht, type Satang } from '../core/money.js';
import { Database, LIMIT_LOCK_WAIT, type Transaction } from '../database/database.js';
import {
  GroupCommit,
  locked,
  LOCK_WAIT_MS,
  refused,
  succeeded,
  type LockWait,
  type Outcome,
} from '../database/group-commit.js';
import { recordEvents } from '../events/event-log.js';
import { WakeUps } from '../queues/wake-ups.js';
import { crosses, lowBalanceEvent, type LowBalance } from '../wallet/low-balance.js';
import { LOCK_FREE_WALLETS, LOCK_WALLETS, type LockedWallet } from '../wallet/wallet.sql.js';
import { contentHash, type OrderContent } from './order-content.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import { FIND_EARLIER, FIND_OFFERS, INSERT_ORDERS, type EarlierOrder, type Offer } from './placement.sql.js';
import { lineAmounts, sumAmounts, type Amounts } from './pricing.js';

export interface PlaceOrder {
  merchantId: number;
  referenceId: string;
  content: OrderContent;
  requestId: string;
}

/** A new order's rows, or word that the reference holds this very order already. */
export type Placed = { replayed: false; order: OrderRow; items: ItemRow[] } | { replayed: true };

/** What one statement writes in some tens of milliseconds. */
const MAX_UNITS_PER_BATCH = 2_000;
/** A merchant is better told to try again than left waiting. */
const MAX_WAIT_MS = 5_000;
/** Clients commonly give up after 10 s, and then know nothing. */
const ANSWER_WITHIN_MS = 8_000;

/** An order that was admitted to the batch, and is written with it. */
interface Admitted {
  command: PlaceOrder;
  hash: Buffer;
  orderNumber: string;
  offers: Offer[];
  amounts: Amounts;
  availableAfter: Satang;
}

/**
 * Places orders in batches: checks replays, products and balance under the wallets' locks, in the order of arrival,
 * and writes all that were admitted with one statement. An order that is refused fails alone.
 */
@Injectable()
export class OrderPlacement {
  private readonly writer = new GroupCommit<PlaceOrder, Placed>({
    commit: (commands, wait) => this.commit(commands, wait),
    keyOf: ({ merchantId }) => merchantId,
    weightOf: ({ content }) => content.lines.reduce((units, { quantity }) => units + quantity, 0),
    maxWeight: MAX_UNITS_PER_BATCH,
    maxWaitMs: MAX_WAIT_MS,
    answerWithinMs: ANSWER_WITHIN_MS,
    onBatch: (waitedMs) => this.metrics.batches.placement(waitedMs),
    onSetAside: (merchantId) =>
      this.logger.warn({ merchantId }, 'another transaction keeps a wallet locked: its orders wait'),
  });

  constructor(
    private readonly database: Database,
    private readonly wakeUps: WakeUps,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Charges and records an order in one transaction; it is durable when this resolves.
   * @throws DUPLICATE_REFERENCE, BAD_REQUEST (product rules), SERVICE_UNAVAILABLE (balance, or no database).
   */
  place(command: PlaceOrder): Promise<Placed> {
    return this.writer.submit(command);
  }

  private async commit(commands: PlaceOrder[], wait: LockWait): Promise<Outcome<Placed>[]> {
    const suppliers = new Set<number>();
    const { outcomes, webhooks } = await this.database.transaction(async (tx) => {
      const batch = await Batch.open(tx, commands, wait);
      const results = commands.map((command) => batch.admit(command));
      const told = batch.write(tx);
      batch.collectSuppliers(suppliers);
      return { outcomes: results, webhooks: told };
    });
    failpoint('order.committed');
    this.wakeUps.fulfilment(suppliers);
    this.wakeUps.webhooks(await webhooks);
    this.measure(outcomes);
    return outcomes;
  }

  private measure(outcomes: Outcome<Placed>[]): void {
    const placed = outcomes.filter((each) => each.ok === true && !each.value.replayed);
    this.metrics.ordersPlaced(placed.length);
    this.metrics.walletRefused(outcomes.filter((each) => !each.ok && isBalanceRefusal(each.error)).length);
  }
}

const referenceKey = (merchantId: number, referenceId: string): string => `${merchantId} ${referenceId}`;

/** One batch under its locks: what is known before it, and what has been admitted so far. */
class Batch {
  private readonly admitted: Admitted[] = [];
  private readonly lowBalances: LowBalance[] = [];

  private constructor(
    private readonly available: Map<number, Satang>,
    private readonly alerts: Map<number, Satang | null>,
    private readonly hashes: Map<string, Buffer>,
    private readonly offers: Map<string, Offer>,
    private readonly now: Date,
    private readonly wait: LockWait,
  ) {}

  /** One round trip: the two readings are carried out after the wallets' locks are held. */
  static async open(tx: Transaction, commands: PlaceOrder[], wait: LockWait): Promise<Batch> {
    const merchants = commands.map(({ merchantId }) => merchantId);
    const references = commands.map(({ referenceId }) => referenceId);
    const asked = new Map(
      commands.flatMap(({ merchantId, content }) =>
        content.lines.map(({ sku }) => [referenceKey(merchantId, sku), [merchantId, sku] as const]),
      ),
    );
    const pairs = [...asked.values()];
    tx.write(LIMIT_LOCK_WAIT, [LOCK_WAIT_MS[wait]]);
    const lockWallets = wait === 'never' ? LOCK_FREE_WALLETS : LOCK_WALLETS;
    const [wallets, earlier, offers] = await Promise.all([
      tx.query<LockedWallet>(lockWallets, [[...new Set(merchants)]]),
      tx.query<EarlierOrder>(FIND_EARLIER, [merchants, references]),
      tx.query<Offer>(FIND_OFFERS, [pairs.map(([merchant]) => merchant), pairs.map(([, sku]) => sku)]),
    ]);
    return new Batch(
      new Map(wallets.map((wallet) => [wallet.merchant_id, wallet.available])),
      new Map(wallets.map((wallet) => [wallet.merchant_id, wallet.alert_below])),
      new Map(earlier.map((row) => [referenceKey(row.merchant_id, row.reference_id), row.content_hash])),
      new Map(offers.map((offer) => [referenceKey(offer.merchant_id, offer.sku), offer])),
      offers[0]?.now ?? new Date(),
      wait,
    );
  }

  /** Decides one order, given all that were admitted before it. */
  admit(command: PlaceOrder): Outcome<Placed> {
    const { merchantId, referenceId, content } = command;
    const available = this.available.get(merchantId);
    if (available === undefined) {
      if (this.wait === 'never') return locked;
      throw new Error(`merchant ${merchantId} has no wallet`);
    }
    const key = referenceKey(merchantId, referenceId);
    const hash = contentHash(content);
    const earlier = this.hashes.get(key);
    if (earlier)
      return earlier.equals(hash) ? succeeded({ replayed: true }) : refused(duplicateReference(referenceId));

    const offers = content.lines.map(({ sku }) => this.offers.get(referenceKey(merchantId, sku)));
    const [problem, ...more] = findProblems(content, offers);
    if (problem) return refused(invalidRequest([problem, ...more]));

    const known = offers as Offer[];
    const amounts = sumAmounts(
      known.map((offer, index) => lineAmounts(prices(offer), quantityAt(content, index))),
    );
    if (amounts.total > available) return refused(insufficientBalance(amounts.total, available));

    const availableAfter = available - amounts.total;
    const admitted = { command, hash, orderNumber: newOrderNumber(), offers: known, amounts, availableAfter };
    this.available.set(merchantId, availableAfter);
    this.hashes.set(key, hash);
    this.admitted.push(admitted);
    const threshold = this.alerts.get(merchantId) ?? null;
    if (crosses(available, availableAfter, threshold)) {
      this.lowBalances.push({ merchantId, available: availableAfter, threshold });
    }
    return succeeded({ replayed: false, ...toRows(admitted, this.now) });
  }

  /** @returns the webhooks to wake, where a balance fell below its merchant's threshold: known with the commit. */
  write(tx: Transaction): Promise<number[]> {
    if (this.admitted.length > 0) tx.write(INSERT_ORDERS, insertValues(this.admitted, this.now));
    const events = this.lowBalances.map((low) => lowBalanceEvent(low, this.now));
    return recordEvents(tx, events);
  }

  collectSuppliers(suppliers: Set<number>): void {
    for (const { offers } of this.admitted) for (const offer of offers) suppliers.add(offer.supplier_id ?? 0);
  }
}

const prices = (offer: Offer): { listPrice: Satang; unitPrice: Satang } => ({
  listPrice: offer.list_price,
  unitPrice: offer.unit_price,
});

const quantityAt = (content: OrderContent, index: number): number => content.lines[index]?.quantity ?? 0;

/** Every product rule that the lines break: unknown SKU, quantity, and the ids that a product needs. */
function findProblems(content: OrderContent, offers: (Offer | undefined)[]): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  content.lines.forEach(({ sku, quantity }, index) => {
    const offer = offers[index];
    const at = `items[${index}]`;
    if (!offer || offer.supplier_id === null) {
      const message = `${at}.sku ${JSON.stringify(sku)} is not a product that can be ordered`;
      problems.push({ field: `${at}.sku`, code: 'INVALID_SKU', message });
      return;
    }
    if (quantity > offer.max_quantity) {
      const message = `${at}.quantity must be at most ${offer.max_quantity} for ${sku}`;
      problems.push({ field: `${at}.quantity`, code: 'OUT_OF_RANGE', message });
    }
    if (offer.requires_server && content.serverId === null) {
      problems.push({ field: 'server_id', code: 'REQUIRED', message: `server_id is required for ${sku}` });
    }
    if (offer.requires_character && content.characterId === null) {
      problems.push({
        field: 'character_id',
        code: 'REQUIRED',
        message: `character_id is required for ${sku}`,
      });
    }
  });
  return problems;
}

function duplicateReference(referenceId: string): AppError {
  const message = `reference_id ${JSON.stringify(referenceId)} was already used for an order with different content`;
  return new AppError('DUPLICATE_REFERENCE', message);
}

const INSUFFICIENT_BALANCE = 'INSUFFICIENT_BALANCE';

function insufficientBalance(total: Satang, available: Satang): AppError {
  const message = `Insufficient wallet balance: the order costs ${formatBaht(total)} THB, ${formatBaht(available)} THB are available`;
  return new AppError('SERVICE_UNAVAILABLE', message, {
    details: [{ field: 'items', code: INSUFFICIENT_BALANCE, message }],
  });
}

const isBalanceRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.details?.[0]?.code === INSUFFICIENT_BALANCE;

/** The rows as {@link INSERT_ORDERS} writes them, so that the answer needs no reading back. */
function toRows(
  { command, orderNumber, offers, amounts }: Admitted,
  now: Date,
): { order: OrderRow; items: ItemRow[] } {
  const { merchantId, referenceId, content } = command;
  const order: OrderRow = {
    id: 0n,
    merchant_id: merchantId,
    order_number: orderNumber,
    reference_id: referenceId,
    user_id: content.userId,
    server_id: content.serverId,
    character_id: content.characterId,
    status: 'pending',
    failure_code: null,
    failure_message: null,
    subtotal_amount: amounts.subtotal,
    discount_amount: amounts.discount,
    total_amount: amounts.total,
    created_at: now,
    updated_at: now,
  };
  const items = offers.map((offer, index): ItemRow => ({
    order_id: 0n,
    position: index + 1,
    sku: offer.sku,
    quantity: quantityAt(content, index),
    list_price: offer.list_price,
    unit_price: offer.unit_price,
    status: 'pending',
    completed_quantity: 0,
    failed_quantity: 0,
    failure_code: null,
    failure_message: null,
  }));
  return { order, items };
}

function insertValues(orders: Admitted[], now: Date): unknown[] {
  const each = <Value>(value: (order: Admitted) => Value): Value[] => orders.map(value);
  const lines = orders.flatMap(({ orderNumber, offers, command }) =>
    offers.map((offer, index) => ({
      orderNumber,
      offer,
      position: index + 1,
      line: command.content.lines[index],
    })),
  );
  const taken = new Map<number, Satang>();
  for (const { command, amounts } of orders) {
    taken.set(command.merchantId, (taken.get(command.merchantId) ?? 0n) + amounts.total);
  }
  return [
    each(({ command }) => command.merchantId),
    each(({ orderNumber }) => orderNumber),
    each(({ command }) => command.referenceId),
    each(({ hash }) => hash),
    each(({ command }) => command.content.userId),
    each(({ command }) => command.content.serverId),
    each(({ command }) => command.content.characterId),
    each(({ amounts }) => amounts.subtotal),
    each(({ amounts }) => amounts.total),
    each(({ offers }) => offers.length),
    each(({ command }) => command.requestId),
    each(({ availableAfter }) => availableAfter),
    lines.map(({ orderNumber }) => orderNumber),
    lines.map(({ position }) => position),
    lines.map(({ offer }) => offer.sku),
    lines.map(({ line }) => line?.quantity),
    lines.map(({ offer }) => offer.list_price),
    lines.map(({ offer }) => offer.unit_price),
    lines.map(({ offer }) => offer.supplier_id),
    lines.map(({ offer }) => offer.supplier_sku),
    [...taken.keys()],
    [...taken.values()],
    now,
  ];
}
