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
import { outcomeOf } from './codes.js';
import { move, type State } from './ledger.js';
import type { Change, Kinds, Reply, Step, Transaction } from './model.js';
import { purchase } from './purchases.js';
import { tellBalance, tellCatalogue, tellOutput, tellPayee } from './reads.js';
import { DIGITS } from './replies.js';
import { isPath, receive, type WepayCall } from './requests.js';
import { type Rule, RULES, STATE } from './rules.js';
import { Store } from './store.js';

/** The interface of wePAY for its resellers. */
export class Wepay implements Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  readonly forged = {};
  readonly undecided: Reply = { http: 200, data: {}, decision: 'not decided', about: { code: null } };

  receive(request: IncomingMessage): Promise<WepayCall> {
    return receive(request, (id) => this.store.transactions.get(id)?.ref_id ?? null);
  }

  decide(call: WepayCall, rule: Rule | undefined): Reply {
    switch (call.call) {
      case 'purchase':
        return purchase(this.store, call, rule);
      case 'get_output':
        return tellOutput(this.store, call, rule);
      case 'balance_inquiry':
        return tellBalance(this.store, call, rule);
      case 'payee_info':
        return tellPayee(this.store, call, rule);
      case 'comp_export':
        return tellCatalogue(this.store, rule);
      case null:
        return this.undecided;
    }
  }

  answer(response: ServerResponse, { data, http }: Reply, rule: Rule | undefined): Answered {
    return sendByRule(response, { http, body: JSON.stringify(spoiled(data, rule)) }, rule);
  }

  /** I: which page a wrong method or path gets. */
  answerElsewhere(call: WepayCall, response: ServerResponse): Promise<Answered> {
    return Promise.resolve(sendPage(response, isPath(call.path) ? 405 : 404));
  }

  take(transaction: Transaction, { due_ms: _, ...state }: Step): void {
    move(this.store, transaction, state);
  }

  callbackFrom(): string | null {
    return this.store.account.callback_from;
  }

  isAccepted(status: number | null, body: string): boolean {
    const isSuccess = status !== null && status >= 200 && status < 300;
    return isSuccess && (this.store.readings.callback_accepted_by === 'any_2xx' || body.startsWith('SUCCEED'));
  }

  again(delivery: Delivery): Delivery {
    return delivery;
  }

  forge(transaction: Transaction, wanted: Forged): Delivery | null {
    return planForged(this.store, transaction, wanted);
  }

  /** The purchases under every reference, or under one; the upper members are those of the latest. */
  purchases(refId: string | null): Json[] {
    const references = refId === null ? Array.from(this.store.references()) : [refId];
    return references.flatMap((ref_id) => {
      const transactions = this.store.underReference(ref_id);
      const last = transactions.at(-1);
      if (last === undefined) return [];
      const { amount, company, operator_trxnsid, ref1: player, status, total, type } = last;
      const counts = countsOf(transactions, outcomeOf);
      return [
        {
          ref_id,
          type,
          company,
          amount,
          player,
          status,
          operator_trxnsid,
          sku: `${type}:${company}:${amount}`,
          transaction_id: last.trx_id,
          total_amount: decimalOf(total, DIGITS),
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
      companies: this.store.companies,
    };
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  routes(courier: Courier): Readonly<Record<string, Handler>> {
    return { 'POST /_sim/settle': (body) => this.settle(body, courier) };
  }

  /** Moves a purchase; its own steps are called off. */
  private settle(body: Json, courier: Courier): Json[] {
    const shapes = { ...STATE, ref_id: text, callback: object };
    const wanted = checked<State & Pick<Rule, 'callback'> & { ref_id?: string }>(body, 'settle', shapes);
    const { ref_id, callback, ...state } = wanted;
    if (state.status === undefined) throw invalid('settle.status is required');
    if (callback) checked(callback, 'callback', callbackShapes(RULES));
    const transaction = latest<Kinds>(this.store, ref_id);
    const changed = { ...transaction, steps: [], callback: callback ?? transaction.callback };
    move(this.store, changed, state);
    courier.arm();
    return this.purchases(transaction.ref_id);
  }
}
