import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogueReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { noAnswer } from '../adapter-answers.js';
import type { OrderKind } from './order-request.js';
import { readCategories, readTypes, type Category } from './product-types.js';
import { unavailable } from './seagm-data.js';

/** Gets the answer at a path of the supplier. */
type Get = (path: string) => Promise<HttpAnswer>;

/** The maximum of categories. Each costs a call, so the adapter refuses to read a catalogue with more. */
const MAX_CATEGORIES = 400;

/** Reads all types of all categories, one call after the other. If a call fails, the whole reading fails. */
export function readCatalogue(get: Get, paceMs: number): Promise<CatalogueReading> {
  const paced: Get = async (path) => {
    await delay(paceMs);
    return get(path);
  };
  return readAll(paced).catch(noAnswer);
}

async function readAll(get: Get): Promise<CatalogueReading> {
  const categories: Category[] = [];
  for (const kind of ['recharge', 'card'] satisfies OrderKind[]) {
    const answer = await get(`/v1/${kind}-categories`);
    const read = readCategories(answer, kind);
    if (read === null) return unavailable(answer);
    categories.push(...read);
  }
  if (categories.length > MAX_CATEGORIES) {
    const detail = `it has ${categories.length} categories, and at most ${MAX_CATEGORIES} are read`;
    return { known: false, detail, offersNone: false };
  }
  const products: SupplierProduct[] = [];
  for (const category of categories) {
    const { kind, id } = category;
    const reading = readTypes(await get(`/v1/${kind}-categories/${id}/${kind}-types`), category);
    if (!reading.known) return reading;
    products.push(...reading.products);
  }
  return { known: true, products };
}
