import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogueReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../supplier-http.js';
import { unreachable } from '../vendor-answers.js';
import type { OrderKind } from './order-request.js';
import { readCategories, readTypes, type Category } from './product-types.js';
import { unavailable } from './seagm-data.js';

/** Gets an answer of the vendor. */
type Ask = (path: string) => Promise<HttpAnswer>;

/** A catalogue takes a call for each category; more of them are refused. */
const MAX_CATEGORIES = 400;

/** Reads all that the vendor sells, one call after the other. One that fails fails the whole. */
export async function readCatalogue(ask: Ask, paceMs: number): Promise<CatalogueReading> {
  const paced: Ask = async (path) => {
    await delay(paceMs);
    return ask(path);
  };
  try {
    const categories: Category[] = [];
    for (const kind of ['recharge', 'card'] satisfies OrderKind[]) {
      const answer = await paced(`/v1/${kind}-categories`);
      const read = readCategories(answer, kind);
      if (read === null) return unavailable(answer);
      categories.push(...read);
    }
    if (categories.length > MAX_CATEGORIES) {
      const detail = `it has ${categories.length} categories, and at most ${MAX_CATEGORIES} are read`;
      return { known: false, detail, reached: false };
    }
    return await readAll(paced, categories);
  } catch (error) {
    return unreachable(error);
  }
}

async function readAll(ask: Ask, categories: Category[]): Promise<CatalogueReading> {
  const products: SupplierProduct[] = [];
  for (const category of categories) {
    const { kind, id } = category;
    const reading = readTypes(await ask(`/v1/${kind}-categories/${id}/${kind}-types`), category);
    if (!reading.known) return reading;
    products.push(...reading.products);
  }
  return { known: true, products };
}
