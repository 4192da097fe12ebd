import { Injectable } from '@nestjs/common';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { bahtOrNull, formatBaht, type Satang } from '../core/money.js';
import { decodeCursor, encodeCursor, MAX_INTEGER, toPage, type Page } from '../core/pagination.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import { inIndexedSnapshot } from '../database/snapshot.js';
import { recordAction, type Actor, type AuditRecord } from '../audit-log/audit-log.js';
import { MerchantsRepository } from '../merchants/merchants.repository.js';
import {
  PricesRepository,
  type ListPrice,
  type OwnPriceFilter,
  type PricedProduct,
  type StoredPrice,
} from './prices.repository.js';

/** A merchant's new price of a product. */
export interface PriceChange {
  merchantId: number;
  sku: string;
  /** At most the list price; null to remove the own price. */
  price: Satang | null;
}

/** The price that a merchant pays for a product for which it has an own price. */
export interface OwnPrice {
  merchant_id: number;
  sku: string;
  /** Never more than the list price. */
  price: Satang;
  list_price: Satang;
}

/** One price that changes, as operators see it and as the audit log stores it. */
export interface PriceDifference {
  /** The merchant of an own price; null for a list price. */
  merchant_id: number | null;
  sku: string;
  /** Null if the merchant had no own price. */
  old: string | null;
  /** Null if the merchant has no own price any more. */
  new: string | null;
}

/** The problem of the first impossible change; `index` is the place of the change in the list. */
export class PriceError extends AppError {
  constructor(
    readonly index: number,
    problem: AppError,
  ) {
    super(problem.code, problem.message);
    this.cause = problem;
  }
}

/** @param expected the differences that an operator confirmed. @throws CONFLICT if they are not the present differences. */
export function assertExpected(expected: PriceDifference[] | undefined, now: PriceDifference[]): void {
  if (expected === undefined || JSON.stringify(expected) === JSON.stringify(now)) return;
  throw new ChangedMeanwhile('the prices changed meanwhile');
}

/** Which prices of a merchant to list. */
interface PricesQuery {
  /** Leaves out products without an own price. */
  isOwnOnly: boolean;
  /** A part of the SKU or the name. */
  part?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** @throws CONFLICT */
function assertSeen(seen: Satang | null, differences: PriceDifference[]): void {
  const other = differences.find(({ old }) => old !== bahtOrNull(seen));
  if (!other) return;
  const now = other.old === null ? 'has no price of its own now' : `costs ${other.old} THB now`;
  throw new ChangedMeanwhile(`${other.sku} ${now}, which is not what was shown`, 'expected_price');
}

/** The number of own prices on a page. */
const PAGE = 1_000;

type ToRecord = (plan: Plan) => AuditRecord;

interface WriteOptions {
  by?: Actor;
  /** The differences that the operator confirmed. If the present ones differ, the service changes nothing. */
  expected?: PriceDifference[];
  /** The own price that the operator saw; null for none. If the present one differs, the service changes nothing. */
  seen?: Satang | null | undefined;
}

/** Merchants' own prices. */
@Injectable()
export class PricesService {
  constructor(
    private readonly database: Database,
    private readonly prices: PricesRepository,
    private readonly merchants: MerchantsRepository,
  ) {}

  /**
   * Yields own prices page by page, sorted by merchant and SKU, for output that is printed while it is read.
   * @throws NOT_FOUND for the merchant or the SKU.
   */
  async *pagesOfOwn(which: OwnPriceFilter): AsyncGenerator<OwnPrice[]> {
    await this.assertExist(which);
    yield* this.readPages(this.database, which);
  }

  /** All of {@link pagesOfOwn} in one snapshot. @throws NOT_FOUND for the merchant or the SKU. */
  async list(which: OwnPriceFilter): Promise<OwnPrice[]> {
    await this.assertExist(which);
    return inIndexedSnapshot(this.database, async (tx) => {
      const prices: OwnPrice[] = [];
      for await (const page of this.readPages(tx, which)) prices.push(...page);
      return prices;
    });
  }

  private async assertExist({ merchantId, sku }: OwnPriceFilter): Promise<void> {
    if (merchantId !== undefined && !(await this.merchants.find(merchantId))) throw noMerchant(merchantId);
    if (sku === undefined) return;
    const [product] = await this.prices.list(this.database, [sku]);
    if (!product) throw noProduct(sku);
  }

  private async *readPages(reader: Queryable, which: OwnPriceFilter): AsyncGenerator<OwnPrice[]> {
    let after: StoredPrice | null = null;
    for (;;) {
      const rows: StoredPrice[] = await this.prices.listOwn(reader, which, after, PAGE);
      if (rows.length > 0) yield rows.map(toOwnPrice);
      if (rows.length < PAGE) return;
      after = rows.at(-1) ?? null;
    }
  }

  /** Products at one merchant's prices, sorted by SKU. @throws NOT_FOUND; BAD_REQUEST for a bad cursor. */
  async page(merchantId: number, { isOwnOnly, part, cursor, limit }: PricesQuery): Promise<Page<PricedProduct>> {
    if (!(await this.merchants.find(merchantId))) throw noMerchant(merchantId);
    const afterId = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? 0n);
    const which = { merchantId, sku: null, isOwnOnly, part: part ?? null, afterId };
    const rows = await this.prices.pageOfMerchant(which, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id));
  }

  /** A product at one merchant's price. Does not check the merchant. @throws NOT_FOUND for the product. */
  async show(merchantId: number, sku: string): Promise<PricedProduct> {
    const which = { merchantId, sku, isOwnOnly: false, part: null, afterId: 0 };
    const [product] = await this.prices.pageOfMerchant(which, 1);
    if (!product) throw noProduct(sku);
    return product;
  }

  /**
   * Sets a merchant's own price.
   * @param seen the own price that the operator saw, null for none. If the present one differs, nothing changes.
   * @throws BAD_REQUEST above the list price; NOT_FOUND; CONFLICT.
   */
  async set(merchantId: number, sku: string, price: Satang, by?: Actor, seen?: Satang | null): Promise<void> {
    const toRecord: ToRecord = ({ products, differences }) => {
      const { price: listPrice } = checked(products, sku);
      const detail = { sku, price: formatBaht(price), list_price: formatBaht(listPrice), ...priceBefore(differences) };
      return { action: 'price.set', merchantId, detail };
    };
    await this.write([{ merchantId, sku, price }], toRecord, { by, seen });
  }

  /**
   * Removes a merchant's own price. Also succeeds if the merchant has none.
   * @param seen as in {@link set}.
   * @returns the list price, which the merchant pays from now on.
   * @throws NOT_FOUND; CONFLICT.
   */
  async clear(merchantId: number, sku: string, by?: Actor, seen?: Satang | null): Promise<Satang> {
    const toRecord: ToRecord = ({ products, differences }) => {
      const listPrice = formatBaht(checked(products, sku).price);
      const detail = { sku, list_price: listPrice, ...priceBefore(differences) };
      return { action: 'price.clear', merchantId, detail };
    };
    const { products } = await this.write([{ merchantId, sku, price: null }], toRecord, { by, seen });
    return checked(products, sku).price;
  }

  /**
   * Makes many changes, all or none.
   * @param file the name of the file with the changes.
   * @returns the price that each merchant pays from now on, in the order of the changes.
   * @throws PriceError with the index of the first impossible change; CONFLICT.
   */
  async setAll(changes: PriceChange[], { file, ...options }: WriteOptions & { file: string }): Promise<Satang[]> {
    const toRecord: ToRecord = ({ differences }) => ({
      action: 'price.import',
      detail: { file, prices: changes.length, changes: differences },
    });
    const { products } = await this.write(changes, toRecord, options);
    return changes.map(({ sku, price }) => price ?? checked(products, sku).price);
  }

  /** The differences that {@link setAll} would make. @throws PriceError as {@link setAll} does. */
  async compare(changes: PriceChange[]): Promise<PriceDifference[]> {
    return (await this.database.transaction((tx) => this.plan(tx, changes))).differences;
  }

  /** The problem of each change; null if the change is possible. */
  async problems(changes: PriceChange[]): Promise<(AppError | null)[]> {
    return (await this.database.transaction((tx) => this.check(tx, changes))).problems;
  }

  private write(changes: PriceChange[], toRecord: ToRecord, { by, expected, seen }: WriteOptions): Promise<Plan> {
    return this.database.transaction(async (tx) => {
      const planned = await this.plan(tx, changes);
      assertExpected(expected, planned.differences);
      if (seen !== undefined) assertSeen(seen, planned.differences);
      if (planned.changed.length === 0) return planned;
      this.prices.setOwn(
        tx,
        planned.changed.flatMap(({ price, ...row }) => (price === null ? [] : [{ ...row, price }])),
      );
      this.prices.clearOwn(
        tx,
        planned.changed.filter(({ price }) => price === null),
      );
      recordAction(tx, by, toRecord(planned));
      return planned;
    });
  }

  private async plan(tx: Transaction, changes: PriceChange[]): Promise<Plan> {
    const { products, problems } = await this.check(tx, changes, { lock: true });
    problems.forEach((problem, index) => {
      if (problem) throw new PriceError(index, problem);
    });
    const rows = changes.map(({ merchantId, sku, price }) => {
      const { id } = checked(products, sku);
      return { merchant_id: merchantId, product_id: id, sku, price };
    });
    const stored = await this.prices.lockOwn(tx, rows);
    const key = (row: Pick<ChangedRow, 'merchant_id' | 'product_id'>): string => `${row.merchant_id}.${row.product_id}`;
    const before = new Map(stored.map((row) => [key(row), row.price]));
    const oldPrice = (row: ChangedRow): Satang | null => before.get(key(row)) ?? null;
    const changed = rows
      .filter((row) => oldPrice(row) !== row.price)
      .sort((a, b) => a.merchant_id - b.merchant_id || (a.sku < b.sku ? -1 : 1));
    const differences = changed.map((row) => ({
      merchant_id: row.merchant_id,
      sku: row.sku,
      old: bahtOrNull(oldPrice(row)),
      new: bahtOrNull(row.price),
    }));
    return { products, changed, differences };
  }

  private async check(
    tx: Transaction,
    changes: PriceChange[],
    { lock = false } = {},
  ): Promise<{ products: Map<string, ListPrice>; problems: (AppError | null)[] }> {
    const skus = changes.map(({ sku }) => sku);
    const found = await this.prices.list(tx, skus, { lock });
    const merchantIds = changes.map(({ merchantId }) => merchantId);
    const ids = await this.merchants.existing(tx, merchantIds);
    const products = new Map(found.map((product) => [product.sku, product]));
    const problems = changes.map(({ merchantId, sku, price }) => {
      if (!ids.has(merchantId)) return noMerchant(merchantId);
      const product = products.get(sku);
      if (!product) return noProduct(sku);
      if (price === null || price <= product.price) return null;
      const listPrice = formatBaht(product.price);
      return new AppError('BAD_REQUEST', `a merchant's price of ${sku} may be at most its list price, ${listPrice}`);
    });
    return { products, problems };
  }
}

const toOwnPrice = ({ merchant_id, sku, price, list_price }: StoredPrice): OwnPrice => ({
  merchant_id,
  sku,
  price: price < list_price ? price : list_price,
  list_price,
});

type ChangedRow = Pick<StoredPrice, 'merchant_id' | 'product_id' | 'sku'> & Pick<PriceChange, 'price'>;

interface Plan {
  products: Map<string, ListPrice>;
  /** Changes that make a difference, sorted by merchant and SKU, so that {@link assertExpected} can compare them. */
  changed: ChangedRow[];
  differences: PriceDifference[];
}

/** The old value of the only price that changes, for the audit log; null if the merchant had no own price. */
const priceBefore = ([difference]: PriceDifference[]): { before: { price: string } | null } => ({
  before: difference?.old ? { price: difference.old } : null,
});

const checked = (products: Map<string, ListPrice>, sku: string): ListPrice =>
  present(products.get(sku), 'a product whose price changes was checked');

const noMerchant = (id: number): AppError => new UnknownResource('merchant', id);

const noProduct = (sku: string): AppError => new UnknownResource('product', sku);
