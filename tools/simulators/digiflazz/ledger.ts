import { randomBytes, randomInt } from 'node:crypto';
import { planCallbacks } from './callbacks.js';
import { codeOf } from './codes.js';
import type { Catalogue, Step, Transaction } from './model.js';
import type { CallbackBehaviour } from './rules.js';
import type { Store } from './store.js';

/** The deposit in the manual's test cases after a purchase: testing moves no money. */
const TEST_SALDO = 990_000;
const TEST_SN = '1234567890';

/** The content of a new transaction. */
export interface Order {
  readonly ref_id: string;
  readonly buyer_sku_code: string;
  readonly customer_no: string;
  readonly testing: boolean;
  readonly channel: string;
  readonly cb_url: string | null;
  readonly price: number;
}

export interface Course {
  readonly rc: string;
  readonly sn?: string | undefined;
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

/** Records a transaction in the state of `course.rc`, with its debit and its callback, all or nothing. */
export function form(store: Store, order: Order, course: Course): Transaction {
  const { status, rc, message } = codeOf(course.rc);
  const counted = !order.testing && store.product(order.buyer_sku_code)?.unlimited_stock === false;
  const blank: Transaction = {
    ...order,
    ...store.begun(),
    trx_id: randomBytes(12).toString('hex'),
    status,
    rc,
    message,
    sn: '',
    buyer_last_saldo: 0,
    holds_stock: false,
    sends: order.channel === 'api' ? 1 : 0,
    steps: course.steps,
    callback: course.callback,
  };
  return enter(store, blank, course.rc, { sn: course.sn, event: 'create', counted });
}

/** Moves a transaction to the state of `rc`: debits or refunds it, and plans callbacks. */
export function move(store: Store, transaction: Transaction, step: { rc: string; sn?: string }): Transaction {
  return enter(store, transaction, step.rc, {
    sn: step.sn,
    event: 'update',
    counted: transaction.holds_stock,
  });
}

function enter(
  store: Store,
  before: Transaction,
  wantedRc: string,
  how: { sn: string | undefined; event: 'create' | 'update'; counted: boolean },
): Transaction {
  const { rc, status, message } = codeOf(wantedRc);
  const stands = status !== 'Gagal';
  // I: a pending transaction is debited already, and a failed one gets its money back.
  const debited = stands && !before.testing ? before.price : 0;
  const deposit = store.account.deposit + before.debited - debited;
  const holds_stock = stands && how.counted;
  const after: Transaction = {
    ...before,
    rc,
    status,
    message,
    debited,
    holds_stock,
    sn: status === 'Sukses' ? (how.sn ?? (before.sn || serialNumber(before.testing))) : (how.sn ?? ''),
    ever_succeeded: before.ever_succeeded || status === 'Sukses',
    buyer_last_saldo: before.testing ? TEST_SALDO : deposit,
  };
  const units = holds_stock ? -1 : 1;
  store.commitMove(before, after, {
    deliveries: planCallbacks(store, after, how.event),
    ...(holds_stock !== before.holds_stock && { catalogue: restocked(store, before.buyer_sku_code, units) }),
  });
  return after;
}

function serialNumber(testing: boolean): string {
  return testing ? TEST_SN : String(randomInt(1e9, 1e10));
}

function restocked(store: Store, sku: string, pieces: number): Catalogue {
  const products = store.products.map((product) =>
    product.buyer_sku_code === sku ? { ...product, stock: product.stock + pieces } : product,
  );
  return { at_ms: store.now(), products };
}
