import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type RuleForms, ruleMembers } from './common/rules.js';
import { DEFAULT_PRODUCTS as DIGIFLAZZ_PRODUCTS } from './digiflazz/defaults.js';
import { RULES as DIGIFLAZZ_RULES } from './digiflazz/rules.js';
import { DEFAULT_PRODUCTS as LAPAKGAMING_PRODUCTS } from './lapakgaming/defaults.js';
import { RULES as EASYSLIP_RULES } from './easyslip/model.js';
import { RULES as LAPAKGAMING_RULES } from './lapakgaming/rules.js';
import { RULES as OPN_RULES } from './opn/model.js';
import { DEFAULT_TYPES } from './seagm/defaults.js';
import { RULES as SEAGM_RULES } from './seagm/rules.js';
import { DEFAULT_COMPANIES } from './wepay/defaults.js';
import { RULES as WEPAY_RULES } from './wepay/rules.js';

/** The rules of each vendor, and the first products of its simulator. */
const VENDORS: [vendor: string, rules: RuleForms, products: (number | string)[]][] = [
  ['digiflazz', DIGIFLAZZ_RULES, DIGIFLAZZ_PRODUCTS.map(({ buyer_sku_code }) => buyer_sku_code)],
  ['lapakgaming', LAPAKGAMING_RULES, LAPAKGAMING_PRODUCTS.map(({ code }) => code)],
  ['easyslip', EASYSLIP_RULES, []],
  ['opn', OPN_RULES, []],
  ['seagm', SEAGM_RULES, DEFAULT_TYPES.map(({ id }) => id)],
  ['wepay', WEPAY_RULES, DEFAULT_COMPANIES.map(({ company_id }) => company_id)],
];

describe.each(VENDORS)('the README of %s', (vendor, rules, products) => {
  const texts = [`./${vendor}/README.md`, './README.md'].map((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  );
  const named = new Set(
    Array.from(texts.join('\n').matchAll(/[`"]([A-Za-z0-9][\w-]*)(?::[^`]*)?`/g), ([, name]) => name),
  );

  it('names every member of a rule, here or in the common one', () => {
    expect(ruleMembers(rules).filter((name) => !named.has(name))).toEqual([]);
  });

  it('names every first product', () => {
    expect(products.filter((product) => !named.has(String(product)))).toEqual([]);
  });
});
