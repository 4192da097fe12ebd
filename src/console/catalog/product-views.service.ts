import { Inject, Injectable } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { OffersService } from '../../catalog/offers.service.js';
import { PricesService } from '../../catalog/prices.service.js';
import { toProductView } from '../../catalog/product-actions.js';
import { writeProducts } from '../../catalog/product-csv.js';
import type { ProductDefinition } from '../../catalog/product-definition.js';
import { ProductListingService } from '../../catalog/product-listing.service.js';
import type { ProductFilter } from '../../catalog/products.repository.js';
import { ProductsService } from '../../catalog/products.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { BYTE_ORDER_MARK } from '../../core/http/csv-answer.js';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { given, pick } from '../../core/members.js';
import { formatBaht, optionalBaht } from '../../core/money.js';
import { decodeCursor, encodeCursor, MAX_INTEGER, pageLimit, toPage, type Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { readsOwnActionsOnly } from '../../operators/roles.js';
import { ProductSalesService } from '../../support/product-sales.service.js';
import { timezoneOf, type Caller } from '../access/caller.js';
import { logExport } from '../export-log.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';
import type {
  ListedProductDto,
  ProductDetailDto,
  ProductFilterDto,
  ProductHistoryDto,
  ProductSalesDto,
  ProductsQueryDto,
  SetProductDto,
} from './product.dto.js';
import { toListedProductDto, toOfferDto, toProductActionDto } from './product.mapper.js';
import { valuesOf } from '../filters.js';

const SALES_DAYS = 30;
const MAX_HISTORY = 50;
const MAX_OWN_PRICES = 100;

export const toProductFilter = ({ q, supplier, active }: ProductFilterDto): ProductFilter => ({
  ...given({ q, suppliers: valuesOf(supplier) }),
  ...(active === undefined ? {} : { active: active === 'true' }),
});

/** Products with their sales, prices and history. */
@Injectable()
export class ProductViewsService {
  constructor(
    private readonly database: Database,
    private readonly listing: ProductListingService,
    private readonly products: ProductsService,
    private readonly offers: OffersService,
    private readonly prices: PricesService,
    private readonly merchants: MerchantsService,
    private readonly sales: ProductSalesService,
    private readonly log: AuditLogRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async list(
    caller: Caller,
    { limit: requested, cursor, ...filter }: ProductsQueryDto,
  ): Promise<Page<ListedProductDto>> {
    const limit = pageLimit({ limit: requested }, CONSOLE_LIMIT);
    const [after = null] = decodeCursor(cursor, [MAX_INTEGER]) ?? [];
    const [rows, today] = await Promise.all([
      this.listing.page(toProductFilter(filter), after === null ? null : Number(after), limit + 1),
      this.today(caller),
    ]);
    return toPage(
      rows,
      limit,
      ({ product }) => encodeCursor(product.id),
      (row) => toListedProductDto(row, caller, today),
    );
  }

  /** Makes a file that an import can read, and records it in the audit log. */
  async export(caller: Caller, filter: ProductFilterDto): Promise<string> {
    const skus = new Set(await this.listing.skus(toProductFilter(filter)));
    const products = (await this.products.list()).filter(({ sku }) => skus.has(sku));
    await logExport(this.database, caller, { list: 'products', filter, lines: products.length });
    return `${BYTE_ORDER_MARK}${writeProducts(products.map(toProductView))}\n`;
  }

  async show(caller: Caller, sku: string): Promise<ProductDetailDto> {
    const found = await this.listing.get(sku);
    const { product, offers, inUse } = found;
    const [today, changes, own, merchants] = await Promise.all([
      this.today(caller),
      this.offers.changes(product.id),
      this.prices.list({ sku }),
      this.merchants.list(),
    ]);
    const nameOf = new Map(merchants.map(({ id, name }) => [id, name]));
    return {
      ...toListedProductDto(found, caller, today),
      ...pick(product, 'player_check', 'created_at'),
      offer_list: offers.map((offer) => toOfferDto(offer, caller, { inUse, changes })),
      own_prices: own.slice(0, MAX_OWN_PRICES).map(({ merchant_id: id, price }) => ({
        merchant: { id, name: nameOf.get(id) ?? String(id) },
        price: formatBaht(price),
      })),
      own_price_count: own.length,
    };
  }

  /** Adds a product, or changes the given members of it. @throws BAD_REQUEST; CONFLICT if the product changed meanwhile. */
  async set(caller: Caller, sku: string, body: SetProductDto): Promise<ProductDetailDto> {
    const { expected_updated_at: expected, reason } = body;
    await this.products.set(toDefinition(sku, body), caller.actor(reason), {
      expectedUpdatedAt: expected ? new Date(expected) : null,
    });
    return this.show(caller, sku);
  }

  /** The audit log of a product. Operators of some roles see only their own actions. */
  async history(caller: Caller, sku: string): Promise<ProductHistoryDto> {
    await this.listing.get(sku);
    const ownOnly = readsOwnActionsOnly(caller.session.role);
    const which = { operatorId: ownOnly ? caller.id : null, limit: MAX_HISTORY };
    const entries = await this.log.ofProduct(sku, which);
    return { data: entries.map((entry) => toProductActionDto(entry, sku, caller)), own_only: ownOnly };
  }

  async sold(caller: Caller, sku: string): Promise<ProductSalesDto> {
    await this.listing.get(sku);
    const timezone = timezoneOf(caller.session, this.config);
    const days = await this.sales.byDay(sku, timezone, SALES_DAYS);
    return { timezone, days: days.map(({ revenue, ...day }) => ({ ...day, revenue: formatBaht(revenue) })) };
  }

  /** Returns null if the sales can't be read: then pages show products without sales. */
  private today(caller: Caller): Promise<Awaited<ReturnType<ProductSalesService['today']>> | null> {
    return this.sales.today(timezoneOf(caller.session, this.config)).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the sales of today could not be counted');
      return null;
    });
  }
}

const toDefinition = (sku: string, body: SetProductDto): ProductDefinition => ({
  sku,
  ...pick(body, 'name', 'supplier', 'kind', 'active'),
  price: optionalBaht(body.price),
  supplierSku: body.supplier_sku,
  requiresServer: body.requires_server,
  requiresCharacter: body.requires_character,
  maxQuantity: body.max_quantity,
  playerCheck: body.player_check,
});
