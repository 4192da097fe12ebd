import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { isDuplicate } from '../core/postgres-errors.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import {
  toImportRecord,
  productDifference,
  toSetRecord,
  type ProductDifference,
  type ToRecord,
} from './product-actions.js';
import {
  firstOfferProblem,
  missingProblem,
  REQUIRED,
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
  /** For one product: the time of its last change, as the operator saw it; null if the operator saw no product. */
  expectedUpdatedAt?: Date | null;
  toRecord: ToRecord;
}

@Injectable()
export class ProductsService {
  constructor(
    private readonly database: Database,
    private readonly products: ProductsRepository,
    private readonly suppliers: SuppliersRepository,
  ) {}

  /**
   * Adds a product, or changes the given members of one.
   * @param expectedUpdatedAt when the product, as the operator saw it, was last changed; null for one that is added. If absent,
   * nothing is checked.
   * @throws BAD_REQUEST naming a wrong member, or all missing ones; CONFLICT if the product changed or was added meanwhile.
   */
  async set(
    definition: ProductDefinition,
    by?: Actor,
    { expectedUpdatedAt }: Pick<WriteOptions, 'expectedUpdatedAt'> = {},
  ): Promise<ProductWithSupplier> {
    const [product] = await this.write([definition], { by, expectedUpdatedAt, toRecord: toSetRecord });
    if (!product) throw new Error('a product that was set was not returned');
    return product;
  }

  /**
   * Sets many products, all or none.
   * @param by the operator, for the audit log.
   * @param file the name of the file with the products, for the audit log.
   * @param expected the differences that the operator confirmed. If the present ones differ, nothing changes.
   * @param onProgress gets the number of products written so far.
   * @throws ProductError with the index of an impossible definition; CONFLICT.
   */
  setAll(
    definitions: ProductDefinition[],
    { file, ...options }: Omit<WriteOptions, 'toRecord'> & { file?: string } = {},
  ): Promise<ProductWithSupplier[]> {
    return this.write(definitions, { ...options, toRecord: toImportRecord(file) });
  }

  /** The differences that {@link setAll} would make. @throws ProductError as {@link setAll} does. */
  async compare(definitions: ProductDefinition[]): Promise<ProductDifference[]> {
    return (await this.database.transaction((tx) => this.plan(tx, definitions))).differences;
  }

  private write(
    definitions: ProductDefinition[],
    { by, onProgress, expected, expectedUpdatedAt, toRecord }: WriteOptions,
  ): Promise<ProductWithSupplier[]> {
    return this.database.transaction(async (tx) => {
      const { rows, changed, differences, before } = await this.plan(tx, definitions, { lock: true });
      if (expectedUpdatedAt !== undefined) assertUnchanged(before.get(definitions[0]?.sku ?? ''), expectedUpdatedAt);
      if (expected && JSON.stringify(expected) !== JSON.stringify(differences)) {
        throw new ChangedMeanwhile('the products changed meanwhile');
      }
      await this.products.upsert(tx, changed, before, onProgress).catch((error: unknown) => {
        if (!isDuplicate(error, 'uq_products_sku')) throw error;
        throw new ChangedMeanwhile('another operator has just added the same product');
      });
      if (differences.length > 0) recordAction(tx, by, toRecord(rows, differences));
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
   * Compares definitions with the existing products.
   * @param lock locks the existing products until the transaction ends, so that no simultaneous change of another member is lost.
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
      const missing = earlier ? [] : REQUIRED.filter((member) => definition[member] === undefined);
      refuse(index, missingProblem(definition.sku, missing));
      refuse(index, firstOfferProblem(definition, earlier));
      const wanted = toRow(definition, earlier);
      const { supplierCode } = wanted;
      const supplier_id = supplierCode === null ? null : (suppliers.get(supplierCode) ?? null);
      if (supplierCode !== null && supplier_id === null)
        throw new ProductError(index, new UnknownResource('supplier', supplierCode));
      const row = { ...wanted, supplier_id };
      result.rows.push(row);
      const difference = productDifference(row, earlier);
      if (!difference) return;
      result.changed.push(row);
      result.differences.push(difference);
    });
    return result;
  }
}

/** The problem of an impossible definition; `index` is the place of the definition in the list. */
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
  /** The rows that make a difference. */
  changed: StoredRow[];
  differences: ProductDifference[];
  /** The existing products, by SKU. */
  before: ReadonlyMap<string, ProductWithSupplier>;
}
