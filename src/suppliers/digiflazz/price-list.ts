import { storable } from '../../core/text.js';
import type { CatalogueReading, ProductReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { asMembers, productIn, shownText, textOf, type Members } from '../adapter-answers.js';
import { dataOf, rupiah, unavailable } from './digiflazz-data.js';

const ZONE = 'Asia/Jakarta';
const MAX_SKU_LENGTH = 255;

/**
 * Reads the products in an answer to `POST /price-list`. Any answer but a list with the status 200 says nothing about
 * products.
 */
export function readPriceList(answer: HttpAnswer): CatalogueReading {
  const list = dataOf(answer.body);
  if (answer.status !== 200 || !Array.isArray(list)) return unavailable(answer);
  return { known: true, products: list.flatMap((item) => readItem(asMembers(item))) };
}

/** Reads the product in an answer to the request of one SKU. */
export const readPriceOf = (answer: HttpAnswer, sku: string): ProductReading => productIn(readPriceList(answer), sku);

/** Reads one product; none if it has no SKU that can be stored as it is. */
function readItem(item: Members | undefined): SupplierProduct[] {
  const sku = textOf(item?.buyer_sku_code);
  if (!item || sku === undefined || sku === '' || storable(sku, MAX_SKU_LENGTH) !== sku) return [];
  return [
    {
      sku,
      name: shownText(item.product_name),
      group: [item.category, item.brand, item.type].map(shownText).filter(Boolean).join(' / '),
      cost: rupiah(item.price),
      sellable: item.buyer_product_status === true && item.seller_product_status === true,
      stock: item.unlimited_stock === true ? null : countOf(item.stock),
      oncePerDay: item.multi === false,
      cutOff: cutOffOf(item),
      note: shownText(item.desc) || null,
    },
  ];
}

function countOf(member: unknown): number | null {
  const text = textOf(member) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Null if both times are the same, because then there is no cut-off, or if one of them can't be read. */
function cutOffOf({ start_cut_off: start, end_cut_off: end }: Members): SupplierProduct['cutOff'] {
  const [from, to] = [timeOfDay(start), timeOfDay(end)];
  return from === null || to === null || from === to ? null : { from, to, zone: ZONE };
}

/** A time of day such as `0:5`, as `00:05`; null for anything else. */
function timeOfDay(member: unknown): string | null {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]?\d)$/.exec(textOf(member) ?? '') ?? [];
  if (hour === undefined || minute === undefined) return null;
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}
