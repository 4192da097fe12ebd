import { decimalOf, unitsOf } from '../common/amounts.js';
import type { Company } from './model.js';
import { DIGITS } from './replies.js';
import type { WepayCall } from './requests.js';
import { TYPES } from './rules.js';
import type { Store } from './store.js';

const FULL_PERCENT = 10_000;
const NO_PLAYER = '0000000000';

/** The code by which a purchase is refused, independent of the account; or null. */
export function refusalOf(store: Store, { fields }: WepayCall): string | null {
  const { type = '', pay_to_company = '', pay_to_amount = '', dest_ref = '', resp_url } = fields;
  // I: which of 30001 and 30008 it is.
  if (!TYPES.some((each) => each === type) || pay_to_company === '') return '30008';
  const company = store.company(type, pay_to_company);
  if (company === undefined) return '30001';
  const shortest = store.readings.dest_ref_format === '12_to_20' ? 12 : 1;
  if (!new RegExp(`^[A-Z0-9]{${shortest},20}$`).test(dest_ref)) return '30006';
  if (!isCallbackUrl(store, resp_url)) return '30005';
  if (!isForSale(store, company, pay_to_amount)) return '30007';
  return playerRefusal(store, company, fields.pay_to_ref1 ?? '', fields.pay_to_ref2 ?? null);
}

/** The charge of a purchase, in satang. C: the discount is a percentage of the amount. I: rounded half up. */
export function totalOf(company: Company, amount: string): number {
  const satang = unitsOf(amount, DIGITS) ?? 0;
  const percent = unitsOf(company.discount, DIGITS) ?? 0;
  const discount = Math.floor((satang * percent + FULL_PERCENT / 2) / FULL_PERCENT);
  return satang - discount + (unitsOf(company.fee, DIGITS) ?? 0);
}

/** C: whole amounts have no decimals, others two. */
export function asSent(satang: number): string {
  return decimalOf(satang, DIGITS).replace(/\.00$/, '');
}

function isCallbackUrl(store: Store, url: string | undefined): boolean {
  if (url === undefined || url === '') return store.readings.resp_url === 'optional';
  return /^https?:\/\//.test(url) && URL.canParse(url);
}

function isForSale(store: Store, company: Company, amount: string): boolean {
  const satang = unitsOf(amount, DIGITS);
  if (satang === null || satang === 0) return false;
  if (store.readings.amount_format === 'strict' && amount !== asSent(satang)) return false;
  const { denomination, sof_min, sof_max } = company;
  if (denomination.length > 0) return denomination.some(({ price }) => unitsOf(price, DIGITS) === satang);
  return satang >= (unitsOf(sof_min, DIGITS) ?? 0) && satang <= (unitsOf(sof_max, DIGITS) ?? 0);
}

function playerRefusal(store: Store, company: Company, ref1: string, ref2: string | null): string | null {
  if (company.type === 'cashcard') {
    return store.readings.cashcard_ref1 === 'any' || ref1 === NO_PLAYER ? null : '30009';
  }
  const pattern = patternOf(company.refs_format.ref1);
  if (store.readings.server_in === 'ref1' || company.gameservers.length === 0) {
    const server = ref1.split(' ')[1] ?? null;
    return pattern.test(ref1) && isServer(company, server) ? null : '30009';
  }
  if (!isServer(company, ref2)) return '30010';
  return pattern.test(`${ref1} ${ref2}`) ? null : '30009';
}

function isServer({ gameservers }: Company, server: string | null): boolean {
  return gameservers.length === 0 || gameservers.some(({ value }) => value === server);
}

/** D: the catalogue writes a regular expression between slashes. */
function patternOf(format: string | undefined): RegExp {
  return new RegExp(format?.replace(/^\/(.*)\/$/s, '$1') ?? '^.+$', 'u');
}
