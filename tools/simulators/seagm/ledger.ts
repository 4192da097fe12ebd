import { someId } from '../common/ids.js';
import type { StateOf } from '../common/vendor.js';
import { planCallbacks } from './callbacks.js';
import type { Transaction } from './model.js';
import { outcomeOf } from './replies.js';
import type { Card } from './rules.js';
import type { Store } from './store.js';

const WAITING = 10_001;
const REFUNDED = 10_005;

export type State = StateOf<Transaction>;

type Order = Pick<Transaction, 'buy_amount' | 'currency' | 'fields' | 'kind' | 'ref_id' | 'type_id' | 'unit_price'>;

/** Records an order, with its debit and callback, all or nothing. */
export function form(store: Store, order: Order, course: Pick<Transaction, 'callback' | 'steps'>): Transaction {
  const blank: Transaction = {
    ...order,
    ...course,
    ...store.begun(),
    trx_id: someId(),
    trade_id: someId(),
    status_code: 0,
    refunded_reason: '',
    cards: [],
    changed_at_ms: store.now(),
  };
  return move(store, blank, { status_code: WAITING });
}

/** Moves an order to another state: debits or refunds it, and plans callbacks. */
export function move(store: Store, before: Transaction, state: State): Transaction {
  const { status_code } = state;
  const outcome = outcomeOf({ status_code });
  const isBack = outcome === 'failed' && (store.readings.money_back === 'when_failed' || status_code === REFUNDED);
  const debited = isBack ? 0 : before.unit_price * before.buy_amount;
  const isDone = outcome === 'succeeded';
  const after: Transaction = {
    ...before,
    status_code,
    debited,
    refunded_reason: state.refunded_reason ?? before.refunded_reason,
    ever_succeeded: before.ever_succeeded || isDone,
    cards: isDone && before.kind === 'card' ? cardsOf(before, state) : before.cards,
    changed_at_ms: store.now(),
  };
  store.commitMove(before, after, { deliveries: planCallbacks(store, after, before.status_code === 0) });
  return after;
}

function cardsOf({ buy_amount, cards: before }: Transaction, state: State): readonly Card[] {
  if (state.with_cards === false) return [];
  if (state.cards) return state.cards;
  if (before.length > 0) return before;
  const card = (): Card => ({ sn: `SN${someId()}`, pin: `PIN-${someId()}`, expired: '2030-12-31' });
  return Array.from({ length: buy_amount }, card);
}
