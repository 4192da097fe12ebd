import { Body, Controller, Get, Header, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import {
  ListedProductDto,
  ProductDetailDto,
  ProductFilterDto,
  ProductHistoryDto,
  ProductSalesDto,
  ProductsQueryDto,
  SetProductDto,
} from './product.dto.js';
import { ProductViewsService } from './product-views.service.js';
import { Sku } from '../access/parameters.js';

@ApiTags('Products')
@Controller('api')
export class ConsoleProductsController {
  constructor(private readonly products: ProductViewsService) {}

  @Get('products')
  @ConsoleRoute('products.read', 'Products, sorted by SKU', [ListedProductDto])
  list(@CurrentCaller() caller: Caller, @Query() query: ProductsQueryDto): Promise<Page<ListedProductDto>> {
    return this.products.list(caller, query);
  }

  @Get('products.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="products.csv"')
  @ConsoleRoute('exports.run', 'The products as CSV, in the form that an import reads', 'csv', {
    description:
      'UTF-8 with a byte order mark. The audit log records the export, with the filters and the number of lines.',
  })
  export(@CurrentCaller() caller: Caller, @Query() query: ProductFilterDto): Promise<string> {
    return this.products.export(caller, query);
  }

  @Get('products/:sku')
  @ConsoleRoute('products.read', 'A product, with its offers and merchants’ own prices', ProductDetailDto)
  show(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductDetailDto> {
    return this.products.show(caller, sku);
  }

  @Put('products/:sku')
  @ConsoleRoute('products.set', 'Add a product, or change the given members of a product', ProductDetailDto, {
    description: '409 if the product was changed since `expected_updated_at`.',
  })
  set(@CurrentCaller() caller: Caller, @Sku() sku: string, @Body() body: SetProductDto): Promise<ProductDetailDto> {
    return this.products.set(caller, sku, body);
  }

  @Get('products/:sku/history')
  @ConsoleRoute('log.read', 'Actions of operators on a product, including imports and adjustments', ProductHistoryDto, {
    description: 'Operators of the roles support and catalog see only their own actions.',
  })
  history(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductHistoryDto> {
    return this.products.history(caller, sku);
  }

  @Get('products/:sku/sales')
  @ConsoleRoute('figures.read', 'The sales of a product in the last 30 days', ProductSalesDto)
  sold(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductSalesDto> {
    return this.products.sold(caller, sku);
  }
}
