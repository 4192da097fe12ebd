import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import {
  importAction,
  productDifference,
  setAction,
  type ProductDifference,
  type ToAction,
} from './product-actions.js';
import {
  firstOfferProblem,
  missingProblem,
  NEEDED,
  productProblem,
  toRow,
  type ProductDefinition,
  type ProductWithSupplier,
} from './product-definition.js';
import { ProductsRepository, type StoredRow } from './products.repository.js';
import { SuppliersRepository } from '../suppliers/suppliers.repository.js';

type OnProgress = (done: number, total: number) => void;

interface WriteOptions {
  by?: Actor;
  onProgress?: OnProgress;
  expected?: ProductDifference[];
  /** When the one product was last changed, as it was shown; null where there was none. */
  expectedUpdatedAt?: Date | null;
  toAction: ToAction;
}

@Injectable()
export class ProductsService {
  constructor(
    private readonly database: Database,
    private readonly products: ProductsRepository,
    private readonly suppliers: SuppliersRepository,
  ) {}

  /**
   * Adds a product, or changes what is given of one.
   * @param expectedUpdatedAt when it was last changed; null for a product that is added.
   * @throws BAD_REQUEST naming the first wrong member; CONFLICT where that is not so.
   */
  async set(
    definition: ProductDefinition,
    by?: Actor,
    { expectedUpdatedAt }: Pick<WriteOptions, 'expectedUpdatedAt'> = {},
  ): Promise<ProductWithSupplier> {
    const [product] = await this.write([definition], { by, expectedUpdatedAt, toAction: setAction });
    if (!product) throw new Error('a product that was set was not returned');
    return product;
  }

  /**
   * Sets many products, all or none.
   * @param by the operator, for their log, and `file` where the products come from.
   * @param expected the differences that were confirmed: with any others, nothing is changed.
   * @param onProgress is told how many are written.
   * @throws ProductError with the index of the first definition that can't be; CONFLICT.
   */
  setAll(
    definitions: ProductDefinition[],
    { file, ...options }: Omit<WriteOptions, 'toAction'> & { file?: string } = {},
  ): Promise<ProductWithSupplier[]> {
    return this.write(definitions, { ...options, toAction: importAction(file) });
  }

  /** What {@link setAll} would change. @throws as it does. */
  async compare(definitions: ProductDefinition[]): Promise<ProductDifference[]> {
    return (await this.database.transaction((tx) => this.plan(tx, definitions))).differences;
  }

  private write(
    definitions: ProductDefinition[],
    { by, onProgress, expected, expectedUpdatedAt, toAction }: WriteOptions,
  ): Promise<ProductWithSupplier[]> {
    return this.database.transaction(async (tx) => {
      const { rows, changed, differences, before } = await this.plan(tx, definitions, { lock: true });
      if (expectedUpdatedAt !== undefined) assertUnchanged(before.get(definitions[0]?.sku ?? ''), expectedUpdatedAt);
      if (expected && JSON.stringify(expected) !== JSON.stringify(differences)) {
        throw new ChangedMeanwhile('the products changed meanwhile');
      }
      await this.products.upsert(tx, changed, onProgress);
      if (differences.length > 0) recordAction(tx, by, toAction(rows, differences));
      return this.products.listBySku(
        tx,
        rows.map(({ sku }) => sku),
      );
    });
  }

  list(): Promise<ProductWithSupplier[]> {
    return this.products.list();
  }

  /**
   * What definitions make of the products that there are.
   * @param lock keeps those as they are until the transaction ends: two that change different members of one product both
   * count.
   */
  private async plan(tx: Transaction, definitions: ProductDefinition[], { lock = false } = {}): Promise<Plan> {
    definitions.forEach((definition, index) => refuse(index, productProblem(definition)));
    const suppliers = await this.suppliers.idsByCode(tx);
    const skus = definitions.map(({ sku }) => sku);
    const stored = await this.products.listBySku(tx, skus, { lock });
    const before = new Map(stored.map((product) => [product.sku, product]));
    const result: Plan = { rows: [], changed: [], differences: [], before };
    definitions.forEach((definition, index) => {
      const earlier = before.get(definition.sku);
      const missing = earlier ? [] : NEEDED.filter((member) => definition[member] === undefined);
      refuse(index, missingProblem(definition.sku, missing));
      refuse(index, firstOfferProblem(definition, earlier));
      const given = toRow(definition, earlier);
      const { supplierCode } = given;
      const supplier_id = supplierCode === null ? null : (suppliers.get(supplierCode) ?? null);
      if (supplierCode !== null && supplier_id === null)
        throw new ProductError(index, new UnknownResource('supplier', supplierCode));
      const row = { ...given, supplier_id };
      result.rows.push(row);
      const difference = productDifference(row, earlier);
      if (!difference) return;
      result.changed.push(row);
      result.differences.push(difference);
    });
    return result;
  }
}

/** A product definition that can't be; `index` says which of those given. */
export class ProductError extends AppError {
  constructor(
    readonly index: number,
    problem: string | AppError,
  ) {
    super('BAD_REQUEST', typeof problem === 'string' ? problem : problem.message);
    this.cause = problem;
  }
}

function refuse(index: number, problem: string | null): void {
  if (problem !== null) throw new ProductError(index, problem);
}

/** @throws CONFLICT */
function assertUnchanged(stored: ProductWithSupplier | undefined, expected: Date | null): void {
  const updatedAt = stored?.updated_at.getTime() ?? null;
  if (updatedAt !== (expected?.getTime() ?? null)) throw new ChangedMeanwhile('the product changed meanwhile');
}

interface Plan {
  rows: StoredRow[];
  /** Those of them that are not stored so already. */
  changed: StoredRow[];
  differences: ProductDifference[];
  /** What there was of them, by SKU. */
  before: ReadonlyMap<string, ProductWithSupplier>;
}
