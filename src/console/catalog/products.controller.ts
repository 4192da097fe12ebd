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
import { Sku } from '../access/path-ids.js';

@ApiTags('Products')
@Controller('api')
export class ConsoleProductsController {
  constructor(private readonly products: ProductViewsService) {}

  @Get('products')
  @ConsoleRoute('products.read', { summary: 'Products, by their SKUs', answer: { pageOf: ListedProductDto } })
  list(@CurrentCaller() caller: Caller, @Query() query: ProductsQueryDto): Promise<Page<ListedProductDto>> {
    return this.products.list(caller, query);
  }

  @Get('products.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="products.csv"')
  @ConsoleRoute('exports.run', {
    summary: 'The same as CSV, as an import reads it again',
    description: 'UTF-8 with a byte order mark. It stands in the log with the filters and the number of lines.',
    answer: { csv: true },
  })
  export(@CurrentCaller() caller: Caller, @Query() query: ProductFilterDto): Promise<string> {
    return this.products.export(caller, query);
  }

  @Get('products/:sku')
  @ConsoleRoute('products.read', {
    summary: 'A product, with its offers and merchants’ own prices',
    answer: { type: ProductDetailDto },
  })
  show(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductDetailDto> {
    return this.products.show(caller, sku);
  }

  @Put('products/:sku')
  @ConsoleRoute('products.set', {
    summary: 'Add a product, or change what is given of one',
    description: '409 where it was changed since `expected_updated_at`.',
    answer: { type: ProductDetailDto },
  })
  set(@CurrentCaller() caller: Caller, @Sku() sku: string, @Body() body: SetProductDto): Promise<ProductDetailDto> {
    return this.products.set(caller, sku, body);
  }

  @Get('products/:sku/history')
  @ConsoleRoute('log.read', {
    summary: 'What operators did to a product, also by files and percentages',
    description: 'Support and catalogue see their own actions only.',
    answer: { type: ProductHistoryDto },
  })
  history(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductHistoryDto> {
    return this.products.history(caller, sku);
  }

  @Get('products/:sku/sales')
  @ConsoleRoute('figures.read', { summary: 'What was sold of it in 30 days', answer: { type: ProductSalesDto } })
  sold(@CurrentCaller() caller: Caller, @Sku() sku: string): Promise<ProductSalesDto> {
    return this.products.sold(caller, sku);
  }
}
