import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { PricedProduct } from '../../catalog/prices.repository.js';
import { PricesService } from '../../catalog/prices.service.js';
import { invalidValue } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, checkedBaht, formatBaht, parseBaht, type Satang } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import type { Viewer } from '../../support/masking.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId, Sku } from '../access/parameters.js';
import { pageOf } from '../lists.js';
import { ClearPriceDto, MerchantPriceDto, PricesQueryDto, SetPriceDto } from './merchant-prices.dto.js';

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

/** Reads the own price that the operator saw: null for none; undefined without the member. @throws BAD_REQUEST */
function readSeen(text: string | undefined): Satang | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const satang = parseBaht(text);
  if (satang !== null) return satang;
  throw invalidValue('expected_price', 'expected_price must be an amount such as 31.50, or none');
}

function toMerchantPriceDto(row: PricedProduct, viewer: Viewer): MerchantPriceDto {
  const { list_price: list, own_price: own } = row;
  const price = own === null || own > list ? list : own;
  const cost = viewer.may('costs.read') && row.cost !== null ? BigInt(row.cost) : null;
  return {
    ...pick(row, 'sku', 'name'),
    is_active: row.active,
    list_price: formatBaht(list),
    own_price: bahtOrNull(own),
    price: formatBaht(price),
    discount: formatBaht(list - price),
    cost: bahtOrNull(cost),
    margin: cost === null ? null : formatBaht(price - cost),
  };
}
