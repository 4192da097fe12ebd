import { Injectable } from '@nestjs/common';
import type { PricedProduct } from '../../catalog/prices.repository.js';
import { PricesService } from '../../catalog/prices.service.js';
import { invalidValue } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { checkedBaht, formatBaht, parseBaht, type Satang } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import type { Caller } from '../access/caller.js';
import { pageOf } from '../lists.js';
import type { MerchantPriceDto, PricesQueryDto, SetPriceDto } from './merchant-prices.dto.js';

/** A merchant's own prices. */
@Injectable()
export class MerchantPricesService {
  constructor(private readonly prices: PricesService) {}

  /** Sorted by SKU. @throws NOT_FOUND; BAD_REQUEST for an invalid cursor. */
  async list(
    caller: Caller,
    merchantId: number,
    { q, own, ...query }: PricesQueryDto,
  ): Promise<Page<MerchantPriceDto>> {
    const filter = { isOwnOnly: own === 'true', part: q };
    const page = await this.prices.page(merchantId, { ...filter, ...pageOf(query) });
    return { ...page, data: page.data.map((row) => toMerchantPriceDto(row, caller.may('costs.read'))) };
  }

  /** @throws NOT_FOUND; BAD_REQUEST for a price above the list price; CONFLICT where the price is not the expected one. */
  async set(
    caller: Caller,
    { merchantId, sku }: { merchantId: number; sku: string },
    { price, expected_price: expected }: SetPriceDto,
  ): Promise<MerchantPriceDto> {
    const satang = checkedBaht(price);
    await this.prices.set(merchantId, sku, satang, caller.actor(), readSeen(expected));
    return this.show(caller, merchantId, sku);
  }

  /** @throws as {@link set} */
  async clear(
    caller: Caller,
    { merchantId, sku }: { merchantId: number; sku: string },
    expected: string | undefined,
  ): Promise<MerchantPriceDto> {
    await this.prices.clear(merchantId, sku, caller.actor(), readSeen(expected));
    return this.show(caller, merchantId, sku);
  }

  private async show(caller: Caller, merchantId: number, sku: string): Promise<MerchantPriceDto> {
    return toMerchantPriceDto(await this.prices.show(merchantId, sku), caller.may('costs.read'));
  }
}

function readSeen(text: string | undefined): Satang | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const satang = parseBaht(text);
  if (satang !== null) return satang;
  throw invalidValue('expected_price', 'expected_price must be an amount such as 31.50, or none');
}

function toMerchantPriceDto(row: PricedProduct, seesCosts: boolean): MerchantPriceDto {
  const { list_price: list, own_price: own } = row;
  const price = own === null || own > list ? list : own;
  const cost = seesCosts && row.cost !== null ? BigInt(row.cost) : null;
  return {
    ...pick(row, 'sku', 'name'),
    is_active: row.active,
    list_price: formatBaht(list),
    own_price: own === null ? null : formatBaht(own),
    price: formatBaht(price),
    discount: formatBaht(list - price),
    cost: cost === null ? null : formatBaht(cost),
    margin: cost === null ? null : formatBaht(price - cost),
  };
}
