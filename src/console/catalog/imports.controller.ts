import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { CatalogImportsService } from './catalog-imports.service.js';
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

/** Paths that take a file as their body. */
export const CSV_PATHS: ReadonlySet<string> = new Set([
  '/api/products/import/preview',
  '/api/products/import',
  '/api/prices/import/preview',
  '/api/prices/import',
]);

const VERSION_CHECK = 'Makes all changes or none. 409 if the changes differ from the preview.';

@ApiTags('Products')
@Controller('api')
export class CatalogueImportsController {
  constructor(private readonly imports: CatalogImportsService) {}

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
  previewProducts(@CsvBody() file: Buffer): Promise<ProductImportPreviewDto> {
    return this.imports.previewProducts(file);
  }

  @Post('products/import')
  @TakesCsv()
  @ConsoleRoute('products.import', 'Import a file of products', ImportedDto, { description: VERSION_CHECK })
  importProducts(
    @CurrentCaller() caller: Caller,
    @Query() query: ImportQueryDto,
    @CsvBody() file: Buffer,
  ): Promise<ImportedDto> {
    return this.imports.importProducts(caller, file, query);
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
  previewPrices(@CurrentCaller() caller: Caller, @CsvBody() file: Buffer): Promise<PriceImportPreviewDto> {
    return this.imports.previewPrices(caller, file);
  }

  @Post('prices/import')
  @TakesCsv()
  @ConsoleRoute('prices.set', 'Import a file of merchants’ own prices', ImportedDto, { description: VERSION_CHECK })
  importPrices(
    @CurrentCaller() caller: Caller,
    @Query() query: ImportQueryDto,
    @CsvBody() file: Buffer,
  ): Promise<ImportedDto> {
    return this.imports.importPrices(caller, file, query);
  }

  @Post('products/adjustment/preview')
  @ConsoleRoute('products.import', 'The changes of list prices by a percentage. Changes nothing', AdjustmentPreviewDto)
  previewAdjustment(@CurrentCaller() caller: Caller, @Body() body: AdjustmentDto): Promise<AdjustmentPreviewDto> {
    return this.imports.previewAdjustment(caller, body);
  }

  @Post('products/adjustment')
  @ConsoleRoute('products.import', 'Change list prices by a percentage', ImportedDto, { description: VERSION_CHECK })
  adjust(@CurrentCaller() caller: Caller, @Body() body: ApplyAdjustmentDto): Promise<ImportedDto> {
    return this.imports.adjust(caller, body);
  }
}
