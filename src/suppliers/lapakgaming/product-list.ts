import type { CatalogueReading, ProductReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { amountOf, asMembers, nameOf, productIn, shownText, type Members } from '../adapter-answers.js';
import { codeOf, CURRENCY, dataOf, isSuccess, unavailable } from './lapakgaming-data.js';

/** Reads the products in an answer. An answer without a list of products is a refusal, and says nothing about products. */
export function readProductList(answer: HttpAnswer): CatalogueReading {
  const list = dataOf(answer.body)?.products;
  if (!isSuccess(answer) || !Array.isArray(list)) return unavailable(answer);
  return { known: true, products: list.flatMap((item) => readItem(asMembers(item))) };
}

/** Reads the product in an answer to the request of one product. */
export function readProductOf(answer: HttpAnswer, sku: string): ProductReading {
  if (codeOf(answer) === 'PRODUCT_NOT_FOUND') return { known: true, product: null };
  return productIn(readProductList(answer), sku);
}

/** Reads one product; none if it has no code. */
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
