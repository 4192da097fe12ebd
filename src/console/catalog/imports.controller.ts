import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { bySku, costInUse } from '../../catalog/offer-in-use.js';
import { OffersService } from '../../catalog/offers.service.js';
import { PriceAdjustmentsService, type Adjustment } from '../../catalog/price-adjustments.service.js';
import { ProductImportsService, versionOf } from '../../catalog/product-imports.service.js';
import { ProductListingService } from '../../catalog/product-listing.service.js';
import { ChangedMeanwhile } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { optionalBaht, parsePercentage, type Satang } from '../../core/money.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { CsvBody, TakesCsv } from './csv-body.js';
import {
  AdjustmentDto,
  AdjustmentPreviewDto,
  ApplyAdjustmentDto,
  ImportedDto,
  ImportQueryDto,
  PriceImportPreviewDto,
  ProductImportPreviewDto,
} from './import.dto.js';
import {
  counted,
  isAdded,
  isFirst,
  MAX_CHANGES,
  toPreviewDto,
  toPriceChangeDto,
  toProductChangeDto,
  type Costs,
} from './import.mapper.js';
import { toProductFilter } from './product.mapper.js';

/** The name of a pasted file in the audit log. */
const PASTED = 'pasted';

/** Paths that take a file as their body. */
export const CSV_PATHS: ReadonlySet<string> = new Set([
  '/api/products/import/preview',
  '/api/products/import',
  '/api/prices/import/preview',
  '/api/prices/import',
]);

const VERSION_CHECK = 'Makes all changes or none. 409 if the changes differ from the preview.';

/** Changes many products or prices at once. A preview shows the changes, and the import makes exactly these changes. */
@ApiTags('Products')
@Controller('api')
export class CatalogueImportsController {
  constructor(
    private readonly imports: ProductImportsService,
    private readonly adjustments: PriceAdjustmentsService,
    private readonly listing: ProductListingService,
    private readonly offers: OffersService,
  ) {}

  @Post('products/import/preview')
  @TakesCsv()
  @ConsoleRoute(
    'products.import',
    'The changes that a file of products would make. Changes nothing',
    ProductImportPreviewDto,
    {
      description: 'If the file lacks a column, products keep their values.',
    },
  )
  async previewProducts(@CsvBody() file: Buffer): Promise<ProductImportPreviewDto> {
    const preview = await this.imports.previewProducts(file);
    const costs = await this.costsOf(preview.differences);
    return toPreviewDto(preview, isAdded, (each) => toProductChangeDto(each, costs));
  }

  @Post('products/import')
  @TakesCsv()
  @ConsoleRoute('products.import', 'Import a file of products', ImportedDto, { description: VERSION_CHECK })
  async importProducts(
    @CurrentCaller() caller: Caller,
    @Query() query: ImportQueryDto,
    @CsvBody() file: Buffer,
  ): Promise<ImportedDto> {
    return counted(await this.imports.importProducts(file, agreed(caller, query)), isAdded);
  }

  @Post('prices/import/preview')
  @TakesCsv()
  @ConsoleRoute(
    'prices.set',
    'The changes that a file of merchants’ own prices would make. Changes nothing',
    PriceImportPreviewDto,
    {
      description: 'The columns are merchant_id, sku and price. An empty price removes the own price.',
    },
  )
  async previewPrices(@CurrentCaller() caller: Caller, @CsvBody() file: Buffer): Promise<PriceImportPreviewDto> {
    const preview = await this.imports.previewPrices(file);
    const costs = await this.costsOf(preview.differences);
    return toPreviewDto(preview, isFirst, (each) => toPriceChangeDto(each, costs, caller));
  }

  @Post('prices/import')
  @TakesCsv()
  @ConsoleRoute('prices.set', 'Import a file of merchants’ own prices', ImportedDto, { description: VERSION_CHECK })
  async importPrices(
    @CurrentCaller() caller: Caller,
    @Query() query: ImportQueryDto,
    @CsvBody() file: Buffer,
  ): Promise<ImportedDto> {
    return counted(await this.imports.importPrices(file, agreed(caller, query)), isFirst);
  }

  @Post('products/adjustment/preview')
  @ConsoleRoute('products.import', 'The changes of list prices by a percentage. Changes nothing', AdjustmentPreviewDto)
  async previewAdjustment(@CurrentCaller() caller: Caller, @Body() body: AdjustmentDto): Promise<AdjustmentPreviewDto> {
    const adjustment = await this.adjustmentOf(body);
    const differences = await this.adjustments.compare(adjustment);
    const list = differences.filter(({ merchant_id: id }) => id === null);
    const costs = await this.costsOf(list);
    const changes = list.map((each) => toPriceChangeDto(each, costs, caller));
    return {
      version: versionOf(differences),
      changes: changes.slice(0, MAX_CHANGES),
      changed: list.length,
      unchanged: adjustment.skus.length - list.length,
      below_cost: changes.filter(({ below_cost: isBelow }) => isBelow).length,
      own_prices: differences.length - list.length,
    };
  }

  @Post('products/adjustment')
  @ConsoleRoute('products.import', 'Change list prices by a percentage', ImportedDto, { description: VERSION_CHECK })
  async adjust(
    @CurrentCaller() caller: Caller,
    @Body() { version, reason, ...given }: ApplyAdjustmentDto,
  ): Promise<ImportedDto> {
    const adjustment = await this.adjustmentOf(given);
    const expected = await this.adjustments.compare(adjustment);
    if (versionOf(expected) !== version) throw new ChangedMeanwhile('the prices changed meanwhile');
    const done = await this.adjustments.apply(adjustment, { by: caller.actor(reason), expected });
    return { added: 0, changed: done.filter(({ merchant_id: id }) => id === null).length };
  }

  private async adjustmentOf(given: AdjustmentDto): Promise<Adjustment & { skus: string[] }> {
    const percent = present(parsePercentage(given.percent), 'a percentage was checked');
    const skus = await this.listing.skus(toProductFilter(given));
    return { percent, skus, roundTo: optionalBaht(given.round_to) };
  }

  private async costsOf(differences: readonly { sku: string }[]): Promise<Costs> {
    const skus = [...new Set(differences.map(({ sku }) => sku))];
    const offers = skus.length === 0 ? [] : await this.offers.listOf(skus);
    const costs = new Map<string, Satang>();
    for (const [sku, own] of bySku(offers)) {
      const cost = costInUse(own);
      if (cost !== null) costs.set(sku, cost);
    }
    return costs;
  }
}

const agreed = (caller: Caller, { version, file = PASTED, reason }: ImportQueryDto) => ({
  by: caller.actor(reason),
  name: file,
  version,
});
