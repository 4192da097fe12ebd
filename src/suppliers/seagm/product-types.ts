import type { CatalogueReading, ProductReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { asList, asMembers, nameOf, shownText, textOf, type Members } from '../adapter-answers.js';
import { skuOf, type OrderKind } from './order-request.js';
import { dataOf, isGood, isNotFound, moneyOf, unavailable } from './seagm-data.js';

/** A category of the supplier: a group of types. A type is a product. */
export interface Category {
  kind: OrderKind;
  id: string;
  name: string;
}

/** The categories that an answer lists; null for any other answer. */
export function readCategories(answer: HttpAnswer, kind: OrderKind): Category[] | null {
  return listOf(answer)?.flatMap((item) => readCategory(asMembers(item), kind)) ?? null;
}

function readCategory(item: Members | undefined, kind: OrderKind): Category[] {
  const id = textOf(item?.id) ?? '';
  return item && /^\d{1,18}$/.test(id) ? [{ kind, id, name: shownText(item.name) }] : [];
}

/** Reads the products in an answer that lists the types of a category. */
export function readTypes(answer: HttpAnswer, { kind, name }: Category): CatalogueReading {
  const list = listOf(answer);
  if (!list) return unavailable(answer);
  return { known: true, products: list.flatMap((item) => readType(asMembers(item), kind, name)) };
}

/** Reads the product in an answer about one type. The product has no group, because such an answer does not name the category. */
export function readTypeOf(answer: HttpAnswer, kind: OrderKind, typeId: string): ProductReading {
  if (isNotFound(answer)) return { known: true, product: null };
  const [product] = isGood(answer) ? readType(asMembers(dataOf(answer)), kind, '') : [];
  return product?.sku === skuOf(kind, typeId) ? { known: true, product } : unavailable(answer);
}

/** The list in an answer: the whole `data`, or its only member that is a list. */
function listOf(answer: HttpAnswer): unknown[] | null {
  const data = isGood(answer) ? dataOf(answer) : undefined;
  if (Array.isArray(data)) return data as unknown[];
  const lists = Object.values(asMembers(data) ?? {}).filter((member) => Array.isArray(member));
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

/** Reads one product; none if it has no id. The supplier lists only products that it sells, and reports no stock. */
function readType(item: Members | undefined, kind: OrderKind, group: string): SupplierProduct[] {
  const id = nameOf(item?.id);
  if (!item || id === undefined || !/^\d{1,18}$/.test(id)) return [];
  return [
    {
      sku: skuOf(kind, id),
      name: shownText(item.name),
      group,
      cost: moneyOf(item.unit_price, item.currency),
      sellable: true,
      stock: null,
      oncePerDay: false,
      cutOff: null,
      note: noteOf(item),
    },
  ];
}

/** Lists the fields that an order needs, because the offer's player template must write these fields. */
function noteOf({ fields }: Members): string | null {
  const names = asList(fields)
    .map((field) => shownText(asMembers(field)?.name))
    .filter((name) => name !== '');
  return names.length === 0 ? null : `fields: ${names.join(', ')}`;
}
