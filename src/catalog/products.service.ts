import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import { AppError } from '../core/errors.js';
import { formatBaht, type Satang } from '../core/money.js';
import { textProblem } from '../core/text.js';
import { recordAction, type By } from '../database/operator-actions.js';
import { MerchantPrice } from './merchant-price.entity.js';
import { importAction, setAction, type ProductWithSupplier, type ToAction } from './product-actions.js';
import { Product } from './product.entity.js';
import { Supplier } from './supplier.entity.js';

export const MAX_QUANTITY = 100;

/** A product's whole definition: what is not given has its default, never what was there before. */
export interface ProductDefinition {
  sku: string;
  name: string;
  price: Satang;
  /** The code of its supplier. */
  supplier: string;
  /** The SKU itself unless the supplier calls it otherwise. */
  supplierSku?: string;
  requiresServer?: boolean;
  requiresCharacter?: boolean;
  maxQuantity?: number;
  active?: boolean;
}

type OnProgress = (done: number, total: number) => void;

@Injectable()
export class ProductsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Adds a product or replaces its definition. @throws BAD_REQUEST naming the first wrong member. */
  async set(definition: ProductDefinition, by?: By): Promise<ProductWithSupplier> {
    const [product] = await this.write([definition], { by, toAction: setAction });
    if (!product) throw new Error('a product that was set was not returned');
    return product;
  }

  /**
   * Sets many products, all or none.
   * @param by the operator, for their log, and `file` where the products come from.
   * @param onProgress is told how many are written.
   * @throws ProductError with the index of the first definition that can't be.
   */
  setAll(
    definitions: ProductDefinition[],
    { by, file, onProgress }: { by?: By; file?: string; onProgress?: OnProgress } = {},
  ): Promise<ProductWithSupplier[]> {
    return this.write(definitions, { by, onProgress, toAction: importAction(file) });
  }

  private write(
    definitions: ProductDefinition[],
    { by, onProgress, toAction }: { by?: By; onProgress?: OnProgress; toAction: ToAction },
  ): Promise<ProductWithSupplier[]> {
    return this.dataSource.transaction(async (manager) => {
      const suppliers = new Map((await manager.find(Supplier)).map((supplier) => [supplier.code, supplier]));
      const rows = definitions.map((definition, index) => {
        const supplier = suppliers.get(definition.supplier);
        const problem = supplier ? productProblem(definition) : unknownSupplier(definition.supplier);
        if (problem !== null || !supplier) throw new ProductError(index, problem ?? '');
        return toRow(definition, supplier);
      });
      const skus = rows.map(({ sku }) => sku);
      const before = by ? await listProducts(manager, skus) : [];
      await upsert(manager, rows, onProgress);
      const after = await listProducts(manager, skus);
      if (by)
        await recordAction(manager, by, toAction(after, new Map(before.map((each) => [each.sku, each]))));
      return after;
    });
  }

  list(): Promise<ProductWithSupplier[]> {
    return listProducts(this.dataSource.manager);
  }

  /** Gives a merchant its own price. @throws BAD_REQUEST above the list price; NOT_FOUND for an unknown SKU. */
  async setMerchantPrice(merchantId: number, sku: string, price: Satang, by?: By): Promise<MerchantPrice> {
    const product = await this.getBySku(sku);
    if (price > product.price) {
      throw new AppError('BAD_REQUEST', `a merchant's price of ${sku} may be at most its list price`);
    }
    const row = { merchantId, productId: product.id, price };
    await this.dataSource.transaction(async (manager) => {
      await manager.upsert(MerchantPrice, row, ['merchantId', 'productId']);
      const detail = { sku, price: formatBaht(price), list_price: formatBaht(product.price) };
      await recordAction(manager, by, { action: 'price.set', merchantId, detail });
    });
    return this.dataSource.manager.create(MerchantPrice, row);
  }

  /** Takes a merchant's own price away, so that the list price holds again; once gone, it stays gone. */
  async clearMerchantPrice(merchantId: number, sku: string, by?: By): Promise<Product> {
    const product = await this.getBySku(sku);
    await this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.delete(MerchantPrice, { merchantId, productId: product.id });
      const detail = { sku, list_price: formatBaht(product.price) };
      if (affected === 1) await recordAction(manager, by, { action: 'price.clear', merchantId, detail });
    });
    return product;
  }

  private async getBySku(sku: string): Promise<Product> {
    const product = await this.dataSource.manager.findOneBy(Product, { sku });
    if (!product)
      throw new AppError('NOT_FOUND', `there is no product ${sku}: topup product list shows them`);
    return product;
  }
}

/** A product definition that can't be; `index` says which of those given. */
export class ProductError extends AppError {
  constructor(
    readonly index: number,
    message: string,
  ) {
    super('BAD_REQUEST', message);
  }
}

const unknownSupplier = (code: string): string =>
  `there is no supplier ${code}: add it with topup supplier set`;

/** Why a product cannot be as it is defined, its supplier aside; null when it can. */
export function productProblem({
  sku,
  name,
  supplierSku = sku,
  maxQuantity = MAX_QUANTITY,
}: ProductDefinition): string | null {
  const texts: [string, string, number][] = [
    ['sku', sku, 64],
    ['name', name, 128],
    ['supplier_sku', supplierSku, 128],
  ];
  for (const [member, text, maximum] of texts) {
    const problem = textProblem(text, 1, maximum);
    if (problem) return `${member} ${problem}`;
  }
  if (!Number.isInteger(maxQuantity) || maxQuantity < 1 || maxQuantity > MAX_QUANTITY) {
    return `max_quantity must be a whole number, 1 to ${MAX_QUANTITY}`;
  }
  return null;
}

type ProductRow = Omit<Product, 'id' | 'createdAt' | 'updatedAt'>;

function toRow(definition: ProductDefinition, supplier: Supplier): ProductRow {
  const { sku, name, price } = definition;
  return {
    sku,
    name,
    price,
    supplierId: supplier.id,
    supplierSku: definition.supplierSku ?? sku,
    requiresServer: definition.requiresServer ?? false,
    requiresCharacter: definition.requiresCharacter ?? false,
    maxQuantity: definition.maxQuantity ?? MAX_QUANTITY,
    active: definition.active ?? true,
  };
}

const ROWS_PER_STATEMENT = 1000;

async function upsert(manager: EntityManager, rows: ProductRow[], onProgress?: OnProgress): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    onProgress?.(at, rows.length);
    await manager.upsert(Product, rows.slice(at, at + ROWS_PER_STATEMENT), ['sku']);
  }
}

async function listProducts(manager: EntityManager, skus?: string[]): Promise<ProductWithSupplier[]> {
  const query = manager
    .createQueryBuilder(Product, 'product')
    .innerJoin(Supplier, 'supplier', 'supplier.id = product.supplierId')
    .addSelect('supplier.code', 'supplier_code')
    .orderBy('product.sku');
  if (skus) query.where('product.sku = ANY(:skus)', { skus });
  const { entities, raw } = await query.getRawAndEntities<{ supplier_code: string }>();
  return entities.map((product, index) => ({ ...product, supplierCode: raw[index]?.supplier_code ?? '' }));
}
