import { shortened } from '../common/rules.js';
import { bestOf, groupOf, listed, listedCategory } from './catalogue.js';
import { refusedAtGate } from './gate.js';
import type { LapakCall, LapakReply, LapakRule, Product } from './model.js';
import { done, refused } from './replies.js';
import { textOf } from './requests.js';
import type { LapakStore } from './store.js';

type Read = (store: LapakStore, call: LapakCall, rule: LapakRule | undefined) => LapakReply;

/** A read that `decide` answers unless the gate or a rule refuses it. */
const read =
  (decide: Read): Read =>
  (store, call, rule) => {
    const refusal = refusedAtGate(store, call);
    if (refusal) return refusal;
    return rule?.code === undefined ? decide(store, call, rule) : refused(store, rule.code);
  };

/** Decides `GET /api/balance`. */
export const answerBalance = read((store) => done('told', { balance: store.account.balance }));

/** Decides `GET /api/fx-rate.php`. C: the two rates. I: the refusal of an unknown pair. */
export const answerFxRate = read((store, { fields }) => {
  const [from, to] = [textOf(fields, 'from_currency'), textOf(fields, 'to_currency')];
  const rate = store.account.fx_rates.find((each) => each.from_currency === from && each.to_currency === to);
  return rate ? done('told', rate) : refused(store, 'NOT_ALLOWED', 'no such pair of currencies');
});

/** Decides `GET /api/category`. */
export const listCategories = read((store, call) => {
  const country = countryOf(call);
  const categories = store.catalogue.categories.filter((each) => each.country_code === country);
  return done('told', { categories: categories.filter(({ allowed }) => allowed).map(listedCategory) });
});

/** Decides `GET /api/all-products`. */
export const listAllProducts = read((store, call, rule) => products(ofCountry(store, call), rule));

/** Decides `GET /api/product`. D: where both are given, the product code counts. */
export const listProducts = read((store, call, rule) => {
  const [code, category] = [textOf(call.fields, 'product_code'), textOf(call.fields, 'category_code')];
  if (code === null && category === null) return refused(store, store.readings.malformed_code, 'nothing is named');
  const all = store.productsOf(store.catalogue).filter((each) => each.country_code === countryOf(call));
  const found = all.filter((each) => (code === null ? each.category_code === category : each.code === code));
  const { categories } = store.catalogue;
  const isClosed = categories.some((each) => !each.allowed && each.code === (found[0]?.category_code ?? category));
  // D for a category. I for a product of it.
  if (isClosed) return refused(store, 'NOT_ALLOWED');
  // I: the code when nothing is found.
  return found.length === 0 ? refused(store, 'PRODUCT_NOT_FOUND') : products(found, rule);
});

/** Decides `GET /api/catalogue/group-products`: the best product of each group, some minutes ago. */
export const listGroups = read((store, call, rule) => {
  const [code, category] = [textOf(call.fields, 'group_product_code'), textOf(call.fields, 'category_code')];
  if (code === null && category === null) return refused(store, store.readings.malformed_code, 'nothing is named');
  const atMs = store.now() - store.readings.group_products_age_seconds * 1_000;
  const all = store.productsOf(store.catalogueAt(atMs)).filter((each) => each.country_code === countryOf(call));
  const wanted = all.filter(
    (each) => (code === null || groupOf(each) === code) && (category === null || each.category_code === category),
  );
  return done('told', shortened(bestOfEach(wanted), rule, Math.ceil));
});

/** Decides `GET /api/catalogue/group-products/…/best-product`: the best product of a group, now. */
export const answerBestProduct = read((store, call) => {
  const code = textOf(call.fields, 'group_product_code');
  const best = bestOf(ofCountry(store, call).filter((each) => groupOf(each) === code));
  return best ? done('told', [groupItem(best)]) : refused(store, 'PRODUCT_NOT_FOUND');
});

/** D: Indonesia unless the call names a country. */
const countryOf = ({ fields }: LapakCall): string => textOf(fields, 'country_code') ?? 'id';

/** The products of a country for this reseller, without those of categories that are closed to it. */
function ofCountry(store: LapakStore, call: LapakCall): Product[] {
  const country = countryOf(call);
  const { categories } = store.catalogue;
  const closed = new Set(categories.filter(({ allowed }) => !allowed).map(({ code }) => code));
  const all = store.productsOf(store.catalogue);
  return all.filter((each) => each.country_code === country && !closed.has(each.category_code));
}

function products(found: readonly Product[], rule: LapakRule | undefined): LapakReply {
  return done('told', { products: shortened(found.map(listed), rule, Math.ceil) });
}

function bestOfEach(all: readonly Product[]): unknown[] {
  const groups = new Map<string, Product[]>();
  for (const each of all) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each]);
  return Array.from(groups.values()).flatMap((group) => {
    const best = bestOf(group);
    return best ? [groupItem(best)] : [];
  });
}

function groupItem(product: Product): unknown {
  const { country_code, name, price, process_time } = product;
  return { code: groupOf(product), country_code, name, price, process_time };
}
