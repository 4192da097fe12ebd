import { randomInt } from 'node:crypto';
import { planCallbacks } from './callbacks.js';
import type { Step, Transaction } from './model.js';
import { outcomeOf } from './replies.js';
import type { Card } from './rules.js';
import type { Store } from './store.js';

const WAITING = 10_001;
const REFUNDED = 10_005;

/** What becomes of an order. */
export type State = Omit<Step, 'due_ms'>;

type Order = Pick<Transaction, 'buy_amount' | 'currency' | 'fields' | 'kind' | 'ref_id' | 'type_id' | 'unit_price'>;

/** Records an order, with its debit and callback, all or nothing. */
export function form(store: Store, order: Order, course: Pick<Transaction, 'callback' | 'steps'>): Transaction {
  const now = store.now();
  const blank: Transaction = {
    ...order,
    ...course,
    trx_id: someId(),
    trade_id: someId(),
    status_code: 0,
    refunded_reason: '',
    cards: [],
    debited: 0,
    ever_succeeded: false,
    sends: 1,
    made_at_ms: now,
    last_sent_ms: now,
    changed_at_ms: now,
  };
  return move(store, blank, { status_code: WAITING });
}

/** Moves an order to another state: debits or refunds, and calls back. */
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
  const available = store.account.available + before.debited - debited;
  store.commit({
    transactions: [after],
    deliveries: planCallbacks(store, after, before.status_code === 0),
    ...(available !== store.account.available && { account: { ...store.account, available } }),
  });
  return after;
}

/** Notes that the reference was sent once more. */
export function sentAgain(store: Store, order: Transaction): Transaction {
  const again = { ...order, sends: order.sends + 1, last_sent_ms: store.now() };
  store.commit({ transactions: [again] });
  return again;
}

function cardsOf({ buy_amount, cards: before }: Transaction, state: State): readonly Card[] {
  if (state.with_cards === false) return [];
  if (state.cards) return state.cards;
  if (before.length > 0) return before;
  const card = (): Card => ({ sn: `SN${someId()}`, pin: `PIN-${someId()}`, expired: '2030-12-31' });
  return Array.from({ length: buy_amount }, card);
}

const someId = (): string => String(randomInt(1e8, 1e9));
