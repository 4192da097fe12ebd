import type approvals from '../pages/approvals/words.en.json';
import type deposits from '../pages/deposits/words.en.json';
import type home from '../pages/home/words.en.json';
import type log from '../pages/log/words.en.json';
import type me from '../pages/me/words.en.json';
import type merchants from '../pages/merchants/words.en.json';
import type operators from '../pages/operators/words.en.json';
import type orders from '../pages/orders/words.en.json';
import type products from '../pages/products/words.en.json';
import type reports from '../pages/reports/words.en.json';
import type reversals from '../pages/reversals/words.en.json';
import type search from '../pages/search/words.en.json';
import type suppliers from '../pages/suppliers/words.en.json';
import type webhooks from '../pages/webhooks/words.en.json';
import type { Messages } from './translate';

/** The texts of each area, in `pages/AREA/words.LANGUAGE.json`. They load with the first page of the area. */
interface AreaTexts {
  approvals: typeof approvals;
  deposits: typeof deposits;
  home: typeof home;
  log: typeof log;
  me: typeof me;
  merchants: typeof merchants;
  operators: typeof operators;
  orders: typeof orders;
  products: typeof products;
  reports: typeof reports;
  reversals: typeof reversals;
  search: typeof search;
  suppliers: typeof suppliers;
  webhooks: typeof webhooks;
}

export type Area = keyof AreaTexts;
export type AreaKey = { [Each in Area]: keyof AreaTexts[Each] }[Area];

const files = import.meta.glob<{ default: Messages }>('../pages/*/words.*.json');

/** @throws Error when an area has no such file */
export async function textsOf(area: Area, language: string): Promise<{ default: Messages }> {
  const load = files[`../pages/${area}/words.${language}.json`];
  if (load === undefined) throw new Error(`there are no texts in ${language} for ${area}`);
  return load();
}
