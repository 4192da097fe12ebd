import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/api-key-verifier.js';
import { CurrentCaller } from '../auth/authentication.js';
import { ApiErrors } from '../core/http/api-errors.js';
import { ApiPage, PageQuery, type Page } from '../core/pagination.js';
import { OffersService } from './offers.service.js';
import { ProductDto } from './product.dto.js';

@ApiTags('Products')
@ApiSecurity('api-key')
@Controller('v1/products')
export class ProductsController {
  constructor(private readonly offers: OffersService) {}

  @Get()
  @ApiOperation({
    summary: 'List the catalogue with your prices',
    description: 'In the order in which they were added; those that cannot be ordered now are among them.',
  })
  @ApiPage(ProductDto, 'A page of products')
  @ApiErrors('BAD_REQUEST')
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<ProductDto>> {
    return this.offers.list(caller.merchantId, query);
  }

  @Get(':sku')
  @ApiOperation({
    summary: 'See one product',
    description: 'Its prices, what an order of it must say, and whether it can be ordered now.',
  })
  @ApiParam({ name: 'sku', example: 'MLBB-86' })
  @ApiOkResponse({ type: ProductDto, description: 'The product' })
  @ApiErrors('NOT_FOUND')
  get(@CurrentCaller() caller: Caller, @Param('sku') sku: string): Promise<ProductDto> {
    return this.offers.get(caller.merchantId, sku);
  }
}
