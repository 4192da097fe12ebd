import { randomInt } from 'node:crypto';
import { planCallbacks } from './callbacks.js';
import { outcomeOf, UNDER_WAY } from './codes.js';
import type { Step, Transaction } from './model.js';
import type { Store } from './store.js';

/** What becomes of a purchase. */
export type State = Omit<Step, 'due_ms'>;

/** Records a purchase that is accepted, with its debit and callback, all or nothing. */
export function form(
  store: Store,
  order: Pick<Transaction, 'amount' | 'company' | 'ref1' | 'ref2' | 'ref_id' | 'resp_url' | 'total' | 'type'>,
  course: Pick<Transaction, 'callback' | 'steps'>,
): Transaction {
  const now = store.now();
  const blank: Transaction = {
    ...order,
    ...course,
    trx_id: someId(),
    bill_id: someId(),
    queue_id: someId(),
    status: '',
    operator_trxnsid: '',
    serial: '',
    pin: '',
    debited: 0,
    ever_succeeded: false,
    sends: 1,
    made_at_ms: now,
    last_sent_ms: now,
  };
  return move(store, blank, { status: UNDER_WAY });
}

/** Moves a purchase to another state: debits or refunds, and calls back. */
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
  const available = store.account.available + before.debited - debited;
  store.commit({
    transactions: [after],
    deliveries: planCallbacks(store, after, before.status === ''),
    ...(available !== store.account.available && { account: { ...store.account, available } }),
  });
  return after;
}

/** Notes that the reference was sent once more. */
export function sentAgain(store: Store, transaction: Transaction): Transaction {
  const again = { ...transaction, sends: transaction.sends + 1, last_sent_ms: store.now() };
  store.commit({ transactions: [again] });
  return again;
}

const someId = (): string => String(randomInt(1e8, 1e9));
