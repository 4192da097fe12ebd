import { callbackShapes, readRule } from '../common/rules.js';
import { checked, count, invalid, type Json, listOf, object } from '../common/shapes.js';
import { type Shape, type Shapes, text } from '../common/shapes.js';
import type { Courier } from '../common/vendor.js';
import { planPing } from './callbacks.js';
import { RESPONSE_CODES } from './codes.js';
import { form } from './ledger.js';
import { type CallbackBehaviour, type Rule, RULES } from './rules.js';
import type { Store } from './store.js';
import { stepsOf } from './transactions.js';

/** Records a transaction that did not come through this interface, and returns its reference. */
export function plant(store: Store, courier: Courier, body: Json): string {
  const wanted = checked<Planted>(body, 'purchase', PLANT);
  const { ref_id, customer_no, channel = 'jabber', rc = '00', sn } = wanted;
  const sku = wanted.buyer_sku_code;
  if (!ref_id || !sku || !customer_no) throw invalid('ref_id, buyer_sku_code and customer_no are required');
  const { then } = readRule<Rule>({ ...(wanted.then && { then: wanted.then }) }, 0, RULES);
  const price = wanted.price ?? store.product(sku)?.price ?? 0;
  const about = { ref_id, customer_no, buyer_sku_code: sku, channel, price, testing: false, cb_url: null };
  const steps = stepsOf(store, rc, then && { then });
  form(store, about, { rc, sn, steps, callback: {} });
  courier.arm();
  return ref_id;
}

export function ping(store: Store, courier: Courier, body: Json): Promise<unknown> {
  const { signature } = checked<CallbackBehaviour>(body, 'ping', callbackShapes(RULES));
  const planned = planPing(store, signature);
  if (planned === null) throw invalid('no webhook is set up');
  return courier.send(planned);
}

interface Planted extends Partial<Record<'ref_id' | 'buyer_sku_code' | 'customer_no' | 'channel', string>> {
  readonly rc?: string;
  readonly sn?: string;
  readonly price?: number;
  readonly then?: Rule['then'];
}

export const knownCode: Shape = {
  expected: 'a code that forms a transaction',
  fits: (value) => typeof value === 'string' && RESPONSE_CODES.get(value)?.made === true,
};
const PLANT: Shapes = {
  ref_id: text,
  buyer_sku_code: text,
  customer_no: text,
  channel: text,
  rc: knownCode,
  sn: text,
  price: count,
  then: listOf(object),
};
