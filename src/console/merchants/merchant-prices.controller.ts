import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId, Sku } from '../access/parameters.js';
import { ClearPriceDto, MerchantPriceDto, PricesQueryDto, SetPriceDto } from './merchant-prices.dto.js';
import { MerchantPricesService } from './merchant-prices.service.js';

@ApiTags('Merchants')
@Controller('api/merchants/:id/prices')
export class ConsolePricesController {
  constructor(private readonly prices: MerchantPricesService) {}

  @Get()
  @ConsoleRoute('products.read', 'What a merchant pays, by SKU', [MerchantPriceDto])
  list(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() query: PricesQueryDto,
  ): Promise<Page<MerchantPriceDto>> {
    return this.prices.list(caller, id, query);
  }

  @Put(':sku')
  @ConsoleRoute('prices.set', 'Give a merchant its own price, from its next order on', MerchantPriceDto)
  set(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @Sku() sku: string,
    @Body() body: SetPriceDto,
  ): Promise<MerchantPriceDto> {
    return this.prices.set(caller, { merchantId, sku }, body);
  }

  @Delete(':sku')
  @ConsoleRoute('prices.set', 'Take its own price away: the list price holds again', MerchantPriceDto)
  clear(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @Sku() sku: string,
    @Query() { expected_price: expected }: ClearPriceDto,
  ): Promise<MerchantPriceDto> {
    return this.prices.clear(caller, { merchantId, sku }, expected);
  }
}
