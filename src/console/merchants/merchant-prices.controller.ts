import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PricesService } from '../../catalog/prices.service.js';
import { checkedBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId, Sku } from '../access/parameters.js';
import { pageOf } from '../lists.js';
import { ClearPriceDto, MerchantPriceDto, PricesQueryDto, SetPriceDto } from './merchant-prices.dto.js';
import { readSeen, toMerchantPriceDto } from './merchant-price.mapper.js';

@ApiTags('Merchants')
@Controller('api/merchants/:id/prices')
export class ConsolePricesController {
  constructor(private readonly prices: PricesService) {}

  @Get()
  @ConsoleRoute('products.read', 'The prices that a merchant pays, sorted by SKU', [MerchantPriceDto])
  async list(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() { q, own, ...query }: PricesQueryDto,
  ): Promise<Page<MerchantPriceDto>> {
    const page = await this.prices.page(id, { isOwnOnly: own === 'true', part: q, ...pageOf(query) });
    return { ...page, data: page.data.map((row) => toMerchantPriceDto(row, caller)) };
  }

  @Put(':sku')
  @ConsoleRoute('prices.set', 'Give a merchant its own price, from its next order on', MerchantPriceDto)
  async set(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @Sku() sku: string,
    @Body() { price, expected_price: expected }: SetPriceDto,
  ): Promise<MerchantPriceDto> {
    await this.prices.set(merchantId, sku, checkedBaht(price), caller.actor(), readSeen(expected));
    return toMerchantPriceDto(await this.prices.show(merchantId, sku), caller);
  }

  @Delete(':sku')
  @ConsoleRoute('prices.set', 'Remove a merchant’s own price: it pays the list price again', MerchantPriceDto)
  async clear(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @Sku() sku: string,
    @Query() { expected_price: expected }: ClearPriceDto,
  ): Promise<MerchantPriceDto> {
    await this.prices.clear(merchantId, sku, caller.actor(), readSeen(expected));
    return toMerchantPriceDto(await this.prices.show(merchantId, sku), caller);
  }
}
