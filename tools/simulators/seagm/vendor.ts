import type { IncomingMessage, ServerResponse } from 'node:http';
import { decimalOf } from '../common/amounts.js';
import { sendByRule, spoiled } from '../common/answers.js';
import type { Message } from '../common/callbacks.js';
import type { Answered } from '../common/model.js';
import type { Json } from '../common/shapes.js';
import { type Forged, Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { forgedMessage } from './callbacks.js';
import { move, type State } from './ledger.js';
import type { Change, Kinds, Reply, Transaction } from './model.js';
import { buy, inquire } from './orders.js';
import { answerAccount, answerCategories, answerTime, answerTypes } from './reads.js';
import { DIGITS, outcomeOf } from './replies.js';
import { receive, type SeagmCall, skuOf } from './requests.js';
import { type CallbackBehaviour, type Call, type Rule, RULES } from './rules.js';
import { Store } from './store.js';

const CALLS: Readonly<Record<Call, (store: Store, call: SeagmCall, rule: Rule | undefined) => Reply>> = {
  'recharge-orders': buy,
  'card-orders': buy,
  inquiry: inquire,
  categories: answerCategories,
  types: answerTypes,
  me: answerAccount,
  time: answerTime,
};

/** The open interface of SEAGM. */
export class Seagm extends Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  readonly undecided: Reply = {
    http: 200,
    body: {},
    decision: 'not decided',
    about: { code: null, info_code: null },
  };
  readonly outcomeOf = outcomeOf;

  receive(request: IncomingMessage): Promise<SeagmCall> {
    return receive(request, {
      referenceOf: (id) => this.store.transactions.get(id)?.ref_id ?? null,
      fieldsOf: (kind, id) => this.store.type(kind, id)?.fields.map(({ name }) => name) ?? [],
    });
  }

  decide(call: SeagmCall, rule: Rule | undefined): Reply {
    return call.call === null ? this.undecided : CALLS[call.call](this.store, call, rule);
  }

  /** A rule changes the members of `data`, or those of the whole body if it has no `data`, like a refusal. */
  answer(response: ServerResponse, { body, http }: Reply, rule: Rule | undefined): Answered {
    const sent = 'data' in body ? { ...body, data: spoiled(body.data, rule) } : spoiled(body, rule);
    return sendByRule(response, { http, body: JSON.stringify(sent) }, rule);
  }

  /** Clients show that the plain text `success` accepts a callback; the documents do not say it. */
  isAccepted(status: number | null, body: string): boolean {
    return status !== null && status >= 200 && status < 300 && body.trim() === 'success';
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  protected move(order: Transaction, state: State): void {
    move(this.store, order, state);
  }

  protected purchaseView(latest: Transaction): Json {
    const { buy_amount, cards, fields, kind, status_code, trx_id: id, type_id } = latest;
    return { id, kind, type_id, fields, buy_amount, status_code, cards, sku: skuOf(kind, String(type_id)) };
  }

  protected accountView(): Json {
    const { available, ...account } = this.store.account;
    return { ...account, balance: this.amount(available), types: this.store.types };
  }

  protected override amount(units: number): string {
    return decimalOf(units, DIGITS);
  }

  protected callbackUrl(): string | null {
    return this.store.account.callback_url;
  }

  protected forgedMessage(order: Transaction, wanted: Forged): Omit<Message, 'url'> {
    return forgedMessage(this.store, order, wanted as Forged<CallbackBehaviour>);
  }
}
