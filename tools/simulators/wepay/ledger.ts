import { someId } from '../common/ids.js';
import type { StateOf } from '../common/vendor.js';
import { planCallbacks } from './callbacks.js';
import { outcomeOf, UNDER_WAY } from './codes.js';
import type { Transaction } from './model.js';
import type { Store } from './store.js';

export type State = StateOf<Transaction>;

/** Records a purchase that is accepted, with its debit and callback, all or nothing. */
export function form(
  store: Store,
  order: Pick<Transaction, 'amount' | 'company' | 'ref1' | 'ref2' | 'ref_id' | 'resp_url' | 'total' | 'type'>,
  course: Pick<Transaction, 'callback' | 'steps'>,
): Transaction {
  const blank: Transaction = {
    ...order,
    ...course,
    ...store.begun(),
    trx_id: someId(),
    bill_id: someId(),
    queue_id: someId(),
    status: '',
    operator_trxnsid: '',
    serial: '',
    pin: '',
  };
  return move(store, blank, { status: UNDER_WAY });
}

/** Moves a purchase to another state: debits or refunds it, and plans callbacks. */
export function move(store: Store, before: Transaction, state: State): Transaction {
  const { status } = state;
  const outcome = outcomeOf({ status });
  const isCharged = outcome === 'succeeded' || (outcome === 'pending' && store.readings.debit === 'on_acceptance');
  const debited = isCharged ? before.total : 0;
  const isBought = outcome === 'succeeded';
  const isCard = before.type === 'cashcard';
  const after: Transaction = {
    ...before,
    status,
    debited,
    ever_succeeded: before.ever_succeeded || isBought,
    operator_trxnsid: state.operator_trxnsid ?? (before.operator_trxnsid || (isBought ? `OP${someId()}` : '')),
    serial: state.serial ?? (before.serial || (isBought && isCard ? `S${someId()}` : '')),
    pin: state.pin ?? (before.pin || (isBought && isCard ? `${someId()}${someId().slice(0, 5)}` : '')),
  };
  store.commitMove(before, after, { deliveries: planCallbacks(store, after, before.status === '') });
  return after;
}
