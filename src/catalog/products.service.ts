import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import { Database } from '../database/database.js';
import { AppError, UnknownResource } from '../core/errors.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import {
  importAction,
  productDifference,
  setAction,
  type ProductDifference,
  type ToAction,
} from './product-actions.js';
import {
  missingProblem,
  NEEDED,
  productProblem,
  toRow,
  type ProductDefinition,
  type ProductRow,
  type ProductWithSupplier,
} from './product-definition.js';
import { Product } from './product.entity.js';
import { Supplier } from '../suppliers/supplier.entity.js';

type OnProgress = (done: number, total: number) => void;

interface WriteOptions {
  by?: Actor;
  onProgress?: OnProgress;
  expected?: ProductDifference[];
  toAction: ToAction;
}

@Injectable()
export class ProductsService {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Adds a product, or changes what is given of one. @throws BAD_REQUEST naming the first wrong member. */
  async set(definition: ProductDefinition, by?: Actor): Promise<ProductWithSupplier> {
    const [product] = await this.write([definition], { by, toAction: setAction });
    if (!product) throw new Error('a product that was set was not returned');
    return product;
  }

  /**
   * Sets many products, all or none.
   * @param by the operator, for their log, and `file` where the products come from.
   * @param expected the differences that somebody agreed to: with any others, nothing is changed.
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
    return (await plan(this.dataSource.manager, definitions)).differences;
  }

  private write(
    definitions: ProductDefinition[],
    { by, onProgress, expected, toAction }: WriteOptions,
  ): Promise<ProductWithSupplier[]> {
    return this.database.transaction(async (tx) => {
      const { manager } = tx;
      const { rows, changed, differences } = await plan(manager, definitions, { lock: true });
      if (expected && JSON.stringify(expected) !== JSON.stringify(differences)) {
        throw new AppError('CONFLICT', 'the products changed meanwhile: give the command again');
      }
      await upsert(manager, changed, onProgress);
      if (differences.length > 0) recordAction(tx, by, toAction(rows, differences));
      return listProducts(manager, { skus: rows.map(({ sku }) => sku) });
    });
  }

  list(): Promise<ProductWithSupplier[]> {
    return listProducts(this.dataSource.manager);
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

type StoredRow = ProductRow & { supplier_id: number };

function refuse(index: number, problem: string | null): void {
  if (problem !== null) throw new ProductError(index, problem);
}

interface Plan {
  rows: StoredRow[];
  /** Those of them that are not stored so already. */
  changed: StoredRow[];
  differences: ProductDifference[];
}

/**
 * What definitions make of the products that there are.
 * @param lock keeps those as they are until the transaction ends: two that change different members of one product both
 * count.
 */
async function plan(
  manager: EntityManager,
  definitions: ProductDefinition[],
  { lock = false } = {},
): Promise<Plan> {
  definitions.forEach((definition, index) => refuse(index, productProblem(definition)));
  const suppliers = new Map((await manager.find(Supplier)).map(({ code, id }) => [code, id]));
  const stored = await listProducts(manager, { skus: definitions.map(({ sku }) => sku), lock });
  const before = new Map(stored.map((product) => [product.sku, product]));
  const result: Plan = { rows: [], changed: [], differences: [] };
  definitions.forEach((definition, index) => {
    const earlier = before.get(definition.sku);
    const missing = earlier ? [] : NEEDED.filter((member) => definition[member] === undefined);
    refuse(index, missingProblem(definition.sku, missing));
    const given = toRow(definition, earlier);
    const supplier_id = suppliers.get(given.supplierCode);
    if (supplier_id === undefined)
      throw new ProductError(index, new UnknownResource('supplier', given.supplierCode));
    const row = { ...given, supplier_id };
    result.rows.push(row);
    const difference = productDifference(row, earlier);
    if (!difference) return;
    result.changed.push(row);
    result.differences.push(difference);
  });
  return result;
}

const ROWS_PER_STATEMENT = 1000;

async function upsert(manager: EntityManager, rows: StoredRow[], onProgress?: OnProgress): Promise<void> {
  const columns = rows.map(({ supplierCode: _code, ...row }) => row);
  for (let at = 0; at < columns.length; at += ROWS_PER_STATEMENT) {
    onProgress?.(at, columns.length);
    await manager.upsert(Product, columns.slice(at, at + ROWS_PER_STATEMENT), ['sku']);
  }
}

async function listProducts(
  manager: EntityManager,
  { skus, lock = false }: { skus?: string[]; lock?: boolean } = {},
): Promise<ProductWithSupplier[]> {
  const query = manager
    .createQueryBuilder(Product, 'product')
    .innerJoin(Supplier, 'supplier', 'supplier.id = product.supplier_id')
    .addSelect('supplier.code', 'supplier_code')
    .orderBy('product.sku');
  if (skus) query.where('product.sku = ANY(:skus)', { skus });
  // Orders go on to refer to a product that is locked so.
  if (lock) query.setLock('for_no_key_update', undefined, ['product']);
  const { entities, raw } = await query.getRawAndEntities<{ supplier_code: string }>();
  return entities.map((product, index) => ({ ...product, supplierCode: raw[index]?.supplier_code ?? '' }));
}
