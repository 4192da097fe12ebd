import { applyDecorators, Body, Controller, Post, Query } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { CatalogImportsService } from './catalog-imports.service.js';
import { CsvBody } from './csv-body.js';
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

const TakesCsv = (): MethodDecorator =>
  applyDecorators(ApiConsumes('text/csv'), ApiBody({ schema: { type: 'string' }, description: 'At most 5 MiB' }));

const VERSION_CHECK = 'All or nothing. 409 where it would do something else than the preview said.';

@ApiTags('Products')
@Controller('api')
export class CatalogueImportsController {
  constructor(private readonly imports: CatalogImportsService) {}

  @Post('products/import/preview')
  @TakesCsv()
  @ConsoleRoute('products.import', 'What a file of products would change; changes nothing', ProductImportPreviewDto, {
    description: 'A column that it lacks leaves products as they are.',
  })
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
    'What a file of merchants’ own prices would change; changes nothing',
    PriceImportPreviewDto,
    {
      description: 'Columns merchant_id, sku and price; an empty price clears.',
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
  @ConsoleRoute('products.import', 'What a percentage would make of list prices; changes nothing', AdjustmentPreviewDto)
  previewAdjustment(@CurrentCaller() caller: Caller, @Body() body: AdjustmentDto): Promise<AdjustmentPreviewDto> {
    return this.imports.previewAdjustment(caller, body);
  }

  @Post('products/adjustment')
  @ConsoleRoute('products.import', 'Change list prices by a percentage', ImportedDto, { description: VERSION_CHECK })
  adjust(@CurrentCaller() caller: Caller, @Body() body: ApplyAdjustmentDto): Promise<ImportedDto> {
    return this.imports.adjust(caller, body);
  }
}
