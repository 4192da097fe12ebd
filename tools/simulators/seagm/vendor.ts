import type { IncomingMessage, ServerResponse } from 'node:http';
import { decimalOf } from '../common/amounts.js';
import { sendByRule, sendPage, spoiled } from '../common/answers.js';
import { latest } from '../common/control.js';
import type { Answered, Delivery } from '../common/model.js';
import { callbackShapes } from '../common/rules.js';
import { checked, invalid, type Json, object, text } from '../common/shapes.js';
import { countsOf, type Courier, type Forged, type Handler, type Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { planForged } from './callbacks.js';
import { move, type State } from './ledger.js';
import type { Change, Kinds, Reply, Step, Transaction } from './model.js';
import { buy, inquire } from './orders.js';
import { tellAccount, tellCategories, tellTime, tellTypes } from './reads.js';
import { DIGITS, outcomeOf } from './replies.js';
import { receive, type SeagmCall, skuOf } from './requests.js';
import { type CallbackBehaviour, type Rule, RULES, STATE } from './rules.js';
import { Store } from './store.js';

/** The open interface of SEAGM. */
export class Seagm implements Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  readonly forged = {};
  readonly undecided: Reply = {
    http: 200,
    body: {},
    decision: 'not decided',
    about: { code: null, info_code: null },
  };

  receive(request: IncomingMessage): Promise<SeagmCall> {
    return receive(request, {
      referenceOf: (id) => this.store.transactions.get(id)?.ref_id ?? null,
      fieldsOf: (kind, id) => this.store.type(kind, id)?.fields.map(({ name }) => name) ?? [],
    });
  }

  decide(call: SeagmCall, rule: Rule | undefined): Reply {
    switch (call.call) {
      case 'recharge-orders':
      case 'card-orders':
        return buy(this.store, call, rule);
      case 'inquiry':
        return inquire(this.store, call, rule);
      case 'categories':
        return tellCategories(this.store, call, rule);
      case 'types':
        return tellTypes(this.store, call, rule);
      case 'me':
        return tellAccount(this.store, call, rule);
      case 'time':
        return tellTime(this.store, rule);
      case null:
        return this.undecided;
    }
  }

  /** Members that a rule sets or leaves out are those of `data`, or of a refusal itself. */
  answer(response: ServerResponse, { body, http }: Reply, rule: Rule | undefined): Answered {
    const told = 'data' in body ? { ...body, data: spoiled(body.data, rule) } : spoiled(body, rule);
    return sendByRule(response, { http, body: JSON.stringify(told) }, rule);
  }

  /** I: which page a wrong method or path gets. */
  answerElsewhere(_call: SeagmCall, response: ServerResponse): Promise<Answered> {
    return Promise.resolve(sendPage(response, 404));
  }

  take(transaction: Transaction, { due_ms: _, ...state }: Step): void {
    move(this.store, transaction, state);
  }

  callbackFrom(): string | null {
    return this.store.account.callback_from;
  }

  /** C: the plain word accepts a callback. */
  isAccepted(status: number | null, body: string): boolean {
    return status !== null && status >= 200 && status < 300 && body.trim() === 'success';
  }

  again(delivery: Delivery): Delivery {
    return delivery;
  }

  forge(transaction: Transaction, wanted: Forged & Json): Delivery | null {
    return planForged(this.store, transaction, wanted as Forged & CallbackBehaviour);
  }

  /** The purchases under every reference, or under one; the upper members are those of the latest. */
  purchases(refId: string | null): Json[] {
    const references = refId === null ? Array.from(this.store.references()) : [refId];
    return references.flatMap((ref_id) => {
      const transactions = this.store.underReference(ref_id);
      const last = transactions.at(-1);
      if (last === undefined) return [];
      const { buy_amount, cards, fields, kind, status_code, trx_id, type_id } = last;
      const counts = countsOf(transactions, outcomeOf);
      return [
        {
          ref_id,
          id: trx_id,
          kind,
          type_id,
          fields,
          buy_amount,
          status_code,
          cards,
          sku: skuOf(kind, String(type_id)),
          ...counts,
          price_debited: decimalOf(counts.price_debited, DIGITS),
          transactions,
        },
      ];
    });
  }

  account(): Json {
    const { available, ...account } = this.store.account;
    const transactions = Array.from(this.store.transactions.values());
    const debited = transactions.reduce((sum, each) => sum + each.debited, 0);
    return {
      ...account,
      balance: decimalOf(available, DIGITS),
      debited: decimalOf(debited, DIGITS),
      types: this.store.types,
    };
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  routes(courier: Courier): Readonly<Record<string, Handler>> {
    return { 'POST /_sim/settle': (body) => this.settle(body, courier) };
  }

  /** Moves an order; its own steps are called off. */
  private settle(body: Json, courier: Courier): Json[] {
    const shapes = { ...STATE, ref_id: text, callback: object };
    const wanted = checked<State & Pick<Rule, 'callback'> & { ref_id?: string }>(body, 'settle', shapes);
    const { ref_id, callback, ...state } = wanted;
    if (state.status_code === undefined) throw invalid('settle.status_code is required');
    if (callback) checked(callback, 'callback', callbackShapes(RULES));
    const order = latest<Kinds>(this.store, ref_id);
    move(this.store, { ...order, steps: [], callback: callback ?? order.callback }, state);
    courier.arm();
    return this.purchases(order.ref_id);
  }
}
