import { Body, Controller, Get, Header, Inject, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { toProductView } from '../../catalog/product-actions.js';
import { writeProducts } from '../../catalog/product-csv.js';
import { ProductListingService } from '../../catalog/product-listing.service.js';
import { ProductsService } from '../../catalog/products.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { BYTE_ORDER_MARK } from '../../core/http/csv-answer.js';
import { formatBaht } from '../../core/money.js';
import { decodeCursor, encodeCursor, MAX_INTEGER, toPage, type Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { readsOwnActionsOnly } from '../../operators/roles.js';
import { ProductSalesService } from '../../support/product-sales.service.js';
import { CurrentCaller, timezoneOf, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { Sku } from '../access/parameters.js';
import { logExport } from '../export-log.js';
import { pageOf } from '../lists.js';
import {
  ListedProductDto,
  ProductDetailDto,
  ProductFilterDto,
  ProductHistoryDto,
  ProductSalesDto,
  ProductsQueryDto,
  SetProductDto,
} from './product.dto.js';
import { toDefinition, toListedProductDto, toProductActionDtos, toProductFilter } from './product.mapper.js';
import { ProductViewsService } from './product-views.service.js';

const SALES_DAYS = 30;
const MAX_HISTORY = 50;

/** Products with their sales, prices and history. */
@ApiTags('Products')
@Controller('api')
export class ConsoleProductsController {
  constructor(
    private readonly database: Database,
    private readonly listing: ProductListingService,
    private readonly products: ProductsService,
    private readonly views: ProductViewsService,
    private readonly sales: ProductSalesService,
    private readonly log: AuditLogRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('products')
  @ConsoleRoute('products.read', 'Products, sorted by SKU', [ListedProductDto])
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { limit: requested, cursor, ...filter }: ProductsQueryDto,
  ): Promise<Page<ListedProductDto>> {
    const { limit } = pageOf({ limit: requested });
    const [after = null] = decodeCursor(cursor, [MAX_INTEGER]) ?? [];
    const [rows, today] = await Promise.all([
      this.listing.page(toProductFilter(filter), after === null ? null : Number(after), limit + 1),
      this.views.today(caller),
    ]);
    return toPage(
      rows,
      limit,
      ({ product }) => encodeCursor(product.id),
      (row) => toListedProductDto(row, caller, today),
    );
  }

  @Get('products.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="products.csv"')
  @ConsoleRoute('exports.run', 'The products as CSV, in the form that an import reads', 'csv', {
    description:
      'UTF-8 with a byte order mark. The audit log records the export, with the filters and the number of lines.',
  })
  async export(@CurrentCaller() caller: Caller, @Query() filter: ProductFilterDto): Promise<string> {
    const skus = new Set(await this.listing.skus(toProductFilter(filter)));
    const products = (await this.products.list()).filter(({ sku }) => skus.has(sku));
    await logExport(this.database, caller, { list: 'products', filter, lines: products.length });
    return `${BYTE_ORDER_MARK}${writeProducts(products.map(toProductView))}\n`;
  }

  @Get('products/:sku')
  @ConsoleRoute('products.read', 'A product, with its offers and merchants’ own prices', ProductDetailDto)
  show(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductDetailDto> {
    return this.views.show(caller, sku);
  }

  @Put('products/:sku')
  @ConsoleRoute('products.set', 'Add a product, or change the given members of a product', ProductDetailDto, {
    description: '409 if the product was changed since `expected_updated_at`.',
  })
  async set(
    @CurrentCaller() caller: Caller,
    @Sku() sku: string,
    @Body() body: SetProductDto,
  ): Promise<ProductDetailDto> {
    const { expected_updated_at: expected, reason } = body;
    await this.products.set(toDefinition(sku, body), caller.actor(reason), {
      expectedUpdatedAt: expected ? new Date(expected) : null,
    });
    return this.views.show(caller, sku);
  }

  @Get('products/:sku/history')
  @ConsoleRoute('log.read', 'Actions of operators on a product, including imports and adjustments', ProductHistoryDto, {
    description: 'Operators of the roles support and catalog see only their own actions.',
  })
  async history(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductHistoryDto> {
    await this.listing.get(sku);
    const ownOnly = readsOwnActionsOnly(caller.session.role);
    const which = { operatorId: ownOnly ? caller.id : null, limit: MAX_HISTORY };
    const entries = await this.log.ofProduct(sku, which);
    return { data: entries.flatMap((entry) => toProductActionDtos(entry, sku, caller)), own_only: ownOnly };
  }

  @Get('products/:sku/sales')
  @ConsoleRoute('figures.read', 'The sales of a product in the last 30 days', ProductSalesDto)
  async sold(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductSalesDto> {
    await this.listing.get(sku);
    const timezone = timezoneOf(caller.session, this.config);
    const days = await this.sales.byDay(sku, timezone, SALES_DAYS);
    return { timezone, days: days.map(({ revenue, ...day }) => ({ ...day, revenue: formatBaht(revenue) })) };
  }
}
