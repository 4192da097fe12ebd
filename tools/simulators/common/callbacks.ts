import type { Delivery, Kinds, Transaction } from './model.js';
import type { Store } from './store.js';

/** The content of a callback, and its address. */
export type Message = Pick<Delivery, 'body' | 'headers' | 'url'>;

/** A callback that is due now. */
export function newDelivery<K extends Kinds>(
  store: Store<K>,
  message: Message,
  more: Partial<Delivery> = {},
): Delivery {
  return {
    n: store.nextDelivery(),
    trx_id: null,
    ref_id: null,
    from: null,
    repeat: false,
    state: 'waiting',
    due_ms: store.now(),
    attempts: [],
    ...message,
    ...more,
  };
}

/** The callbacks about a change of `transaction`, sent as its rule says. `isFirst`: the vendor has sent none about it before. */
export function plannedCallbacks<K extends Kinds>(
  store: Store<K>,
  { callback, ref_id, trx_id }: Transaction,
  message: Message,
  isFirst: boolean,
): Delivery[] {
  const first = newDelivery(store, message, {
    ref_id,
    trx_id,
    from: callback.from ?? null,
    state: callback.mode === 'out_of_order' && isFirst ? 'held' : 'waiting',
    due_ms: store.now() + (callback.delay_ms ?? 0),
  });
  return callback.mode === 'twice' ? [first, { ...first, n: first.n + 1, repeat: true }] : [first];
}
