import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendPage } from '../common/answers.js';
import type { Message } from '../common/callbacks.js';
import type { Answered, Delivery } from '../common/model.js';
import { type Json, oneOf, type Shapes, text } from '../common/shapes.js';
import { type Courier, type Forged, type Handler, type Outcome, type StateOf, Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { answer } from './answers.js';
import { callbackUrlOf, forgedMessage, planPing, redelivered } from './callbacks.js';
import type { Status } from './codes.js';
import { knownCode, ping, plant } from './control.js';
import { move } from './ledger.js';
import type { Account, Change, Kinds, Reply, Transaction } from './model.js';
import { listPrices, openTicket, answerBalance } from './reads.js';
import { type Call, type DigiflazzCall, isPathOfCall, receive } from './requests.js';
import { type CallbackBehaviour, type Rule, RULES } from './rules.js';
import { Store } from './store.js';
import { transact } from './transactions.js';

const PING_PATH = /^\/v1\/report\/hooks\/([^/]+)\/pings$/;

const CALLS: Readonly<Record<Call, (store: Store, call: DigiflazzCall, rule: Rule | undefined) => Reply>> = {
  transaction: transact,
  'cek-saldo': answerBalance,
  'price-list': listPrices,
  deposit: openTicket,
};

const OUTCOMES: Readonly<Record<Status, Outcome>> = { Sukses: 'succeeded', Pending: 'pending', Gagal: 'failed' };

/** The "buyer" interface of Digiflazz. */
export class Digiflazz extends Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  override readonly forged = { event: text };
  readonly undecided: Reply = { http: 200, data: {}, decision: 'not decided', about: { rc: null } };

  receive(request: IncomingMessage): Promise<DigiflazzCall> {
    return receive(request);
  }

  decide(call: DigiflazzCall, rule: Rule | undefined): Reply {
    return call.call === null ? this.undecided : CALLS[call.call](this.store, call, rule);
  }

  answer(response: ServerResponse, reply: Reply, rule: Rule | undefined): Answered {
    return answer(response, reply, rule, this.store.readings);
  }

  /** Answers a client's request for a ping, and everything that is not among the vendor's calls. */
  override async answerElsewhere(call: DigiflazzCall, response: ServerResponse, courier: Courier): Promise<Answered> {
    const hookId = PING_PATH.exec(call.path)?.[1];
    if (hookId === this.store.account.webhook.id && call.method === 'POST') {
      // D2 for the path. I: any caller may request it, and gets an empty success.
      const ping = planPing(this.store);
      if (ping) await courier.send(ping);
      response.writeHead(204).end();
      return { kind: 'answered', status: 204, body: '' };
    }
    // I: which page a wrong method or path gets.
    return sendPage(response, isPathOfCall(call.path) ? 405 : 404);
  }

  isAccepted(status: number | null): boolean {
    return status !== null && status >= 200 && status < 300;
  }

  outcomeOf({ status }: Transaction): Outcome {
    return OUTCOMES[status];
  }

  override again(delivery: Delivery): Delivery {
    return redelivered(this.store, delivery);
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  /** D2: the vendor pings a webhook when it is set up. */
  override accountChanged({ webhook: before }: Account, courier: Courier): void {
    const { url, secret } = this.store.account.webhook;
    const isSetUp = url !== null && (url !== before.url || secret !== before.secret);
    const ping = isSetUp ? planPing(this.store) : null;
    if (ping) void courier.send(ping);
  }

  override routes(courier: Courier): Readonly<Record<string, Handler>> {
    return {
      ...super.routes(courier),
      'POST /_sim/purchases': (body) => this.purchases(plant(this.store, courier, body)),
      'POST /_sim/ping': (body) => ping(this.store, courier, body),
    };
  }

  protected move(transaction: Transaction, state: StateOf<Transaction>): void {
    move(this.store, transaction, state);
  }

  protected purchaseView(latest: Transaction): Json {
    const { buyer_sku_code: sku, channel, customer_no, price, rc, sn, status, testing } = latest;
    return { sku, customer_no, testing, channel, status, rc, sn, price };
  }

  protected accountView(): Json {
    return { ...this.store.account, products: this.store.products };
  }

  protected callbackUrl(transaction: Transaction): string | null {
    return callbackUrlOf(this.store, transaction);
  }

  protected forgedMessage(transaction: Transaction, wanted: Forged): Omit<Message, 'url'> {
    return forgedMessage(this.store, transaction, wanted as Forged<CallbackBehaviour>);
  }

  protected override get settleShapes(): Shapes {
    return { rc: knownCode, status: oneOf('Sukses', 'Gagal'), sn: text };
  }

  protected override settledState({
    rc,
    sn,
    status,
  }: {
    rc?: string;
    sn?: string;
    status?: Status;
  }): StateOf<Transaction> {
    return { rc: rc ?? (status === 'Gagal' ? '02' : '00'), ...(sn !== undefined && { sn }) };
  }
}
