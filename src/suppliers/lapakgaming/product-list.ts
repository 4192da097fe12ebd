import type { CatalogueReading, ProductReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../supplier-http.js';
import { amountOf, asMembers, nameOf, shownText, type Members } from '../vendor-answers.js';
import { codeOf, CURRENCY, dataOf, isSuccess, unavailable } from './lapakgaming-data.js';

/** What an answer that lists products means. Anything but a list is a refusal, and says nothing of products. */
export function readProductList(answer: HttpAnswer): CatalogueReading {
  const list = dataOf(answer.body)?.products;
  if (!isSuccess(answer) || !Array.isArray(list)) return unavailable(answer);
  return { known: true, products: list.flatMap((item) => readItem(asMembers(item))) };
}

/** What it means when it was asked for one product; one that is listed twice is as it is listed last. */
export function readProductOf(answer: HttpAnswer, sku: string): ProductReading {
  if (codeOf(answer) === 'PRODUCT_NOT_FOUND') return { known: true, product: null };
  const reading = readProductList(answer);
  if (!reading.known) return reading;
  return { known: true, product: reading.products.findLast((product) => product.sku === sku) ?? null };
}

/** One product, or none where nothing names it. */
function readItem(item: Members | undefined): SupplierProduct[] {
  const sku = nameOf(item?.code);
  if (!item || sku === undefined) return [];
  return [
    {
      sku,
      name: shownText(item.name),
      group: [item.country_code, item.category_code].map(shownText).filter(Boolean).join(' / '),
      cost: amountOf(item.price, CURRENCY),
      sellable: item.status === 'available',
      stock: null,
      oncePerDay: false,
      cutOff: null,
      note: null,
    },
  ];
}
