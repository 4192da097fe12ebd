import type { IncomingMessage, ServerResponse } from 'node:http';
import { decimalOf } from '../common/amounts.js';
import { sendByRule, sendPage, spoiled } from '../common/answers.js';
import type { Message } from '../common/callbacks.js';
import type { Answered } from '../common/model.js';
import type { Json } from '../common/shapes.js';
import { type Forged, Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { forgedMessage } from './callbacks.js';
import { outcomeOf } from './codes.js';
import { move, type State } from './ledger.js';
import type { Change, Kinds, Reply, Transaction } from './model.js';
import { purchase } from './purchases.js';
import { answerBalance, answerCatalogue, answerOutput, answerPayee } from './reads.js';
import { DIGITS } from './replies.js';
import { isPath, receive, type WepayCall } from './requests.js';
import { type Call, type Rule, RULES } from './rules.js';
import { Store } from './store.js';

const CALLS: Readonly<Record<Call, (store: Store, call: WepayCall, rule: Rule | undefined) => Reply>> = {
  purchase,
  get_output: answerOutput,
  balance_inquiry: answerBalance,
  payee_info: answerPayee,
  comp_export: answerCatalogue,
};

/** The interface of wePAY for its resellers. */
export class Wepay extends Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  readonly undecided: Reply = { http: 200, data: {}, decision: 'not decided', about: { code: null } };
  readonly outcomeOf = outcomeOf;

  receive(request: IncomingMessage): Promise<WepayCall> {
    return receive(request, (id) => this.store.transactions.get(id)?.ref_id ?? null);
  }

  decide(call: WepayCall, rule: Rule | undefined): Reply {
    return call.call === null ? this.undecided : CALLS[call.call](this.store, call, rule);
  }

  answer(response: ServerResponse, { data, http }: Reply, rule: Rule | undefined): Answered {
    return sendByRule(response, { http, body: JSON.stringify(spoiled(data, rule)) }, rule);
  }

  override answerElsewhere(call: WepayCall, response: ServerResponse): Promise<Answered> {
    return Promise.resolve(sendPage(response, isPath(call.path) ? 405 : 404));
  }

  isAccepted(status: number | null, body: string): boolean {
    const isSuccess = status !== null && status >= 200 && status < 300;
    return isSuccess && (this.store.readings.callback_accepted_by === 'any_2xx' || body.startsWith('SUCCEED'));
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  protected move(transaction: Transaction, state: State): void {
    move(this.store, transaction, state);
  }

  protected purchaseView(latest: Transaction): Json {
    const { amount, company, operator_trxnsid, ref1: player, status, total, trx_id: transaction_id, type } = latest;
    const total_amount = this.amount(total);
    const sku = `${type}:${company}:${amount}`;
    return { type, company, amount, player, status, operator_trxnsid, sku, transaction_id, total_amount };
  }

  protected accountView(): Json {
    const { available, ...account } = this.store.account;
    return { ...account, balance: this.amount(available), companies: this.store.companies };
  }

  protected override amount(units: number): string {
    return decimalOf(units, DIGITS);
  }

  protected callbackUrl(transaction: Transaction): string | null {
    return transaction.resp_url;
  }

  protected forgedMessage(transaction: Transaction, wanted: Forged): Omit<Message, 'url'> {
    return forgedMessage(this.store, transaction, wanted);
  }
}
