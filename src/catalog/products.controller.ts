import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { PageQueryDto } from '../core/http/page-query.dto.js';
import type { Page } from '../core/pagination.js';
import { ListingsService } from './listings.service.js';
import { ProductDto } from './product.dto.js';

@ApiTags('Products')
@ApiSecurity('api-key')
@Controller('v1/products')
export class ProductsController {
  constructor(private readonly listings: ListingsService) {}

  @Get()
  @ApiRoute({
    summary: 'List the catalogue with your prices',
    description: 'Products in the order in which they were added, including products that cannot be ordered now.',
    answer: { pageOf: ProductDto, description: 'A page of products' },
    errors: ['BAD_REQUEST'],
  })
  list(@CurrentCaller() caller: Caller, @Query() query: PageQueryDto): Promise<Page<ProductDto>> {
    return this.listings.list(caller, query);
  }

  @Get(':sku')
  @ApiParam({ name: 'sku', example: 'MLBB-86' })
  @ApiRoute({
    summary: 'See one product',
    description: 'The prices of the product, what an order must contain, and whether you can order the product now.',
    answer: { type: ProductDto, description: 'The product' },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  get(@CurrentCaller() caller: Caller, @Param('sku') sku: string): Promise<ProductDto> {
    return this.listings.get(caller, sku);
  }
}
