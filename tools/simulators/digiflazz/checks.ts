import { minuteOfDay } from '../common/clock.js';
import { codeOf } from './codes.js';
import type { Product } from './model.js';
import type { Order } from './ledger.js';
import type { Store } from './store.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface Limits {
  readonly max_price: number | undefined;
  readonly hasForbiddenDot: boolean;
}

/** Why no transaction is formed, or null. */
export function refusalOf(store: Store, order: Order, limits: Limits): string | null {
  const { account, readings } = store;
  const product = store.product(order.buyer_sku_code);
  if (product === undefined) return '43';
  if (!product.buyer_product_status) return readings.buyer_off_rc;
  const standing = standingCode(store, product);
  if (standing !== null && !codeOf(standing).made) return standing;
  if (!product.unlimited_stock && product.stock <= 0) return '68';
  if (limits.max_price !== undefined && product.price > limits.max_price) return '69';
  if (!account.ever_deposited) return '61';
  if (account.deposit < product.price) return '44';
  // I: which code multi=false has. 63 is the one whose text names the number.
  if (!product.multi && isRepeatedToday(store, order)) return '63';
  return null;
}

/** Why a transaction is formed and fails at once, or null. */
export function failureOf(store: Store, order: Order, limits: Limits): string | null {
  const product = store.product(order.buyer_sku_code);
  if (limits.hasForbiddenDot) return '54';
  const pattern = product?.customer_no_pattern ?? null;
  if (pattern !== null && !new RegExp(pattern, 'u').test(order.customer_no)) return '57';
  const standing = product ? standingCode(store, product) : null;
  return standing !== null && codeOf(standing).status === 'Gagal' ? standing : null;
}

/** The code by which the product itself refuses. */
function standingCode(store: Store, product: Product): string | null {
  if (!product.seller_product_status) return store.readings.seller_off_rc;
  if (isCutOff(store, product)) return store.readings.cut_off_rc;
  return product.rc;
}

function isCutOff(store: Store, { start_cut_off, end_cut_off }: Product): boolean {
  const [start, end] = [minutes(start_cut_off), minutes(end_cut_off)];
  // C: 0:0 twice is no cut-off.
  if (start === end) return false;
  const now = minuteOfDay(store);
  const isBeforeEnd = store.readings.cut_off_end === 'inclusive' ? now <= end : now < end;
  return start < end ? now >= start && isBeforeEnd : now >= start || isBeforeEnd;
}

function isRepeatedToday(store: Store, order: Order): boolean {
  const { multi_counts, multi_window } = store.readings;
  const now = store.now();
  const day = (ms: number): number => Math.floor(localMs(store, ms) / DAY_MS);
  return Array.from(store.transactions.values()).some((each) => {
    const isOther = each.ref_id !== order.ref_id && !each.testing;
    const isSame = each.buyer_sku_code === order.buyer_sku_code && each.customer_no === order.customer_no;
    const counts = multi_counts === 'made' || each.status !== 'Gagal';
    const { made_at_ms } = each;
    const isToday = multi_window === 'rolling_24h' ? now - made_at_ms < DAY_MS : day(now) === day(made_at_ms);
    return isOther && isSame && counts && isToday;
  });
}

function minutes(clock: string): number {
  const [hours = 0, rest = 0] = clock.split(':').map(Number);
  return hours * 60 + rest;
}

function localMs(store: Store, ms: number): number {
  return ms + store.readings.utc_offset_minutes * MINUTE_MS;
}
