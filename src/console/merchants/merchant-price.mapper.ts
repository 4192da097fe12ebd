import type { PricedProduct } from '../../catalog/prices.repository.js';
import { invalidValue } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, formatBaht, parseBaht, type Satang } from '../../core/money.js';
import type { Viewer } from '../../support/masking.js';
import type { MerchantPriceDto } from './merchant-prices.dto.js';

/** Reads the own price that the operator saw: null for none. @throws BAD_REQUEST */
export function readSeen(text: string | undefined): Satang | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const satang = parseBaht(text);
  if (satang !== null) return satang;
  throw invalidValue('expected_price', 'expected_price must be an amount such as 31.50, or none');
}

export function toMerchantPriceDto(row: PricedProduct, viewer: Viewer): MerchantPriceDto {
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
