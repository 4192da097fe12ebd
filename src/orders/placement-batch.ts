import type { QueriedProduct, ListingsRepository, OrderableProduct } from '../catalog/listings.repository.js';
import { MAX_PASSED_OVER } from '../catalog/routing.js';
import { invalidRequest } from '../core/errors.js';
import { groupBy } from '../core/groups.js';
import { newOrderNumber } from '../core/identifiers.js';
import { BrokenInvariant, invariant, present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import { LIMIT_LOCK_WAIT_AND_KEEP_PLANS, type Transaction } from '../database/database.js';
import { locked, LOCK_WAIT_MS, refused, succeeded, type LockWait, type BatchResult } from '../database/group-commit.js';
import { recordEvents } from '../events/event-log.js';
import { crosses, lowBalanceEvent, type LowBalance } from '../wallet/low-balance.js';
import type { WalletsRepository } from '../wallet/wallets.repository.js';
import { contentHash, type OrderLine, type PlaceOrder } from './order-content.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import type { PassedOver } from './order-item.entity.js';
import type { EarlierOrder, OrdersRepository } from './orders.repository.js';
import { toRows, type Admitted } from './placement-rows.js';
import {
  duplicateReference,
  findProblems,
  insufficientBalance,
  isOrderable,
  priceChanged,
  takesPlayer,
  type ProductLine,
} from './placement-rules.js';
import { lineAmounts, sumAmounts } from './pricing.js';

/** The rows of a new order, or with `replayed` none, because the merchant has placed the same order before. */
export type Placed = { replayed: false; order: OrderRow; items: ItemRow[] } | { replayed: true };

interface Repositories {
  orders: OrdersRepository;
  listings: ListingsRepository;
  wallets: WalletsRepository;
}

const keyInMerchant = (merchantId: number, reference: string): string => `${merchantId} ${reference}`;

const keyOf = ({ merchant_id, sku, many }: Omit<QueriedProduct, 'sandbox'>): string =>
  `${merchant_id} ${many ? '*' : '1'} ${sku}`;

const toQueried = ({ merchantId, sandbox }: PlaceOrder, { sku, quantity }: OrderLine): QueriedProduct => ({
  merchant_id: merchantId,
  sku,
  many: quantity > 1,
  sandbox,
});

/** A batch of orders. It holds the locks of their wallets, and admits or refuses one order after another, in memory. */
export class PlacementBatch {
  private readonly admitted: Admitted[] = [];
  private readonly lowBalances: LowBalance[] = [];

  private constructor(
    private readonly orders: OrdersRepository,
    private readonly available: Map<number, Satang>,
    private readonly alerts: Map<number, Satang | null>,
    /** The orders that already have a requested reference, by merchant and reference. */
    private readonly earlier: Map<string, Pick<EarlierOrder, 'order_number' | 'content_hash'>>,
    /** The offers for each queried product, the preferred offer first. */
    private readonly products: Map<string, OrderableProduct[]>,
    private readonly now: Date,
    private readonly wait: LockWait,
  ) {}

  /** Locks and reads in one round trip. PostgreSQL locks the wallets before it runs the two reads. */
  static async open(
    { orders, listings, wallets: walletsRepository }: Repositories,
    tx: Transaction,
    commands: PlaceOrder[],
    wait: LockWait,
  ): Promise<PlacementBatch> {
    const queried = new Map(
      commands.flatMap((command) =>
        command.content.lines.map((line) => toQueried(command, line)).map((query) => [keyOf(query), query]),
      ),
    );
    tx.write(LIMIT_LOCK_WAIT_AND_KEEP_PLANS, [LOCK_WAIT_MS[wait]]);
    const [wallets, earlier, products] = await Promise.all([
      walletsRepository.lockMany(
        tx,
        commands.map(({ merchantId }) => merchantId),
        wait,
      ),
      orders.listEarlier(
        tx,
        commands.map(({ merchantId, referenceId }) => ({
          merchant_id: merchantId,
          reference_id: referenceId,
        })),
      ),
      listings.listOrderable(tx, [...queried.values()]),
    ]);
    return new PlacementBatch(
      orders,
      new Map(wallets.map((wallet) => [wallet.merchant_id, wallet.available])),
      new Map(wallets.map((wallet) => [wallet.merchant_id, wallet.alert_below])),
      new Map(earlier.map((row) => [keyInMerchant(row.merchant_id, row.reference_id), row])),
      groupBy(products, keyOf),
      present(products[0], 'an order has a line').now,
      wait,
    );
  }

  /** Admits or refuses one order. Counts the totals and references of the orders that this batch has already admitted. */
  admit(command: PlaceOrder): BatchResult<Placed> {
    const { merchantId, referenceId, content, maxTotal } = command;
    const available = this.available.get(merchantId);
    if (available === undefined) {
      if (this.wait === 'never') return locked;
      throw new BrokenInvariant('a merchant has a wallet');
    }
    const key = keyInMerchant(merchantId, referenceId);
    const hash = contentHash(content);
    const earlier = this.earlier.get(key);
    if (earlier?.content_hash.equals(hash)) return succeeded({ replayed: true });
    if (earlier) return refused(duplicateReference(referenceId, earlier.order_number));

    const requested = content.lines.map((line) => this.lineOf(command, line));
    const [problem, ...more] = findProblems(content, requested);
    if (problem) return refused(invalidRequest([problem, ...more]));

    const lines = requested.filter(isOrderable);
    invariant(lines.length === requested.length, 'an order without problems has only orderable lines');
    const amounts = sumAmounts(lines.map(({ product, quantity }) => lineAmounts(prices(product), quantity)));
    if (maxTotal !== null && amounts.total > maxTotal) return refused(priceChanged(amounts.total, maxTotal));
    if (amounts.total > available) return refused(insufficientBalance(amounts.total, available));

    const availableAfter = available - amounts.total;
    const admitted = { command, hash, orderNumber: newOrderNumber(), lines, amounts, availableAfter };
    this.available.set(merchantId, availableAfter);
    this.earlier.set(key, { order_number: admitted.orderNumber, content_hash: hash });
    this.admitted.push(admitted);
    const threshold = this.alerts.get(merchantId) ?? null;
    if (crosses(available, availableAfter, threshold)) {
      this.lowBalances.push({ merchantId, available: availableAfter, threshold });
    }
    return succeeded({ replayed: false, ...toRows(admitted, this.now) });
  }

  /** Writes the admitted orders. @returns the webhooks with new deliveries about low balances; await it after the commit. */
  write(tx: Transaction): Promise<number[]> {
    if (this.admitted.length > 0) this.orders.insert(tx, this.admitted, this.now);
    const events = this.lowBalances.map((low) => lowBalanceEvent(low, this.now));
    return recordEvents(tx, events);
  }

  collectSuppliers(suppliers: Set<number>): void {
    for (const { lines } of this.admitted) for (const { product } of lines) suppliers.add(product.supplier_id);
  }

  /** Chooses the first offer that accepts the player. `listOrderable` returns a row even for an unknown product. */
  private lineOf(command: PlaceOrder, line: OrderLine): ProductLine {
    const { content } = command;
    const offers = this.products.get(keyOf(toQueried(command, line))) ?? [];
    const index = offers.findIndex((offer) => takesPlayer(offer, content));
    const product = present(offers[Math.max(index, 0)], 'every line was looked up');
    const taken = index > 0 ? { ...product, passed_over: withOthers(product, offers.slice(0, index)) } : product;
    return { product: taken, isPlayerExcluded: index < 0, ...line };
  }
}

/**
 * Lists the first {@link MAX_PASSED_OVER} preferred offers that were not used: first the offers that are not routable,
 * then the offers whose pattern the player's ids miss.
 */
function withOthers({ passed_over }: OrderableProduct, others: OrderableProduct[]): string {
  const unroutable = JSON.parse(passed_over ?? '[]') as PassedOver[];
  const excluding = others.map(({ supplier_code, supplier_sku }): PassedOver => ({
    supplier: supplier_code ?? '',
    supplier_sku: supplier_sku ?? '',
    why: 'player',
  }));
  return JSON.stringify([...unroutable, ...excluding].slice(0, MAX_PASSED_OVER));
}

const prices = (product: OrderableProduct): { listPrice: Satang; unitPrice: Satang } => ({
  listPrice: product.list_price,
  unitPrice: product.unit_price,
});
