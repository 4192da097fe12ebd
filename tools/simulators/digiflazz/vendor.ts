import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendPage } from '../common/answers.js';
import type { Answered, Delivery } from '../common/model.js';
import { type Json, text } from '../common/shapes.js';
import type { Courier, Forged, Handler, Vendor } from '../common/vendor.js';
import { accountChange } from './account-changes.js';
import { answer } from './answers.js';
import { planForged, planPing, redelivered } from './callbacks.js';
import { ownRoutes } from './control.js';
import { move } from './ledger.js';
import type { Account, Change, Kinds, Reply, Step, Transaction } from './model.js';
import { purchasesOf } from './purchase-view.js';
import { listPrices, openTicket, tellBalance } from './reads.js';
import { type DigiflazzCall, isPathOfCall, receive } from './requests.js';
import { type CallbackBehaviour, type Rule, RULES } from './rules.js';
import { Store } from './store.js';
import { transact } from './transactions.js';

const PING_PATH = /^\/v1\/report\/hooks\/([^/]+)\/pings$/;

/** The "buyer" interface of Digiflazz. */
export class Digiflazz implements Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  readonly forged = { event: text };
  readonly undecided: Reply = { http: 200, data: {}, decision: 'not decided', about: { rc: null } };

  receive(request: IncomingMessage): Promise<DigiflazzCall> {
    return receive(request);
  }

  decide(call: DigiflazzCall, rule: Rule | undefined): Reply {
    switch (call.call) {
      case 'transaction':
        return transact(this.store, call, rule);
      case 'cek-saldo':
        return tellBalance(this.store, call, rule);
      case 'price-list':
        return listPrices(this.store, call, rule);
      case 'deposit':
        return openTicket(this.store, call, rule);
      case null:
        return this.undecided;
    }
  }

  answer(response: ServerResponse, reply: Reply, rule: Rule | undefined): Answered {
    return answer(response, reply, rule, this.store.readings);
  }

  /** The path by which a client asks for a ping, and all that the vendor does not have. */
  async answerElsewhere(call: DigiflazzCall, response: ServerResponse, courier: Courier): Promise<Answered> {
    const hookId = PING_PATH.exec(call.path)?.[1];
    if (hookId === this.store.account.webhook.id && call.method === 'POST') {
      // D2 for the path; who may ask and what is answered is I: anybody, with an empty success.
      const ping = planPing(this.store);
      if (ping) await courier.send(ping);
      response.writeHead(204).end();
      return { kind: 'answered', status: 204, body: '' };
    }
    // I: which page a wrong method or path gets.
    return sendPage(response, isPathOfCall(call.path) ? 405 : 404);
  }

  take(transaction: Transaction, step: Step): void {
    move(this.store, transaction, step);
  }

  callbackFrom(): string | null {
    return this.store.account.callback_from;
  }

  isAccepted(status: number | null): boolean {
    return status !== null && status >= 200 && status < 300;
  }

  again(delivery: Delivery): Delivery {
    return redelivered(this.store, delivery);
  }

  forge(transaction: Transaction, wanted: Forged & Json): Delivery | null {
    return planForged(this.store, transaction, wanted as Forged & CallbackBehaviour & { event?: string });
  }

  purchases(refId: string | null): unknown {
    return purchasesOf(this.store, refId);
  }

  account(): unknown {
    const transactions = Array.from(this.store.transactions.values());
    const debited = transactions.reduce((sum, each) => sum + each.debited, 0);
    return { ...this.store.account, debited, products: this.store.products };
  }

  accountChange(body: Json): Change {
    return accountChange(this.store, body);
  }

  /** D2: the vendor tries a webhook when it is set up. */
  accountChanged({ webhook: before }: Account, courier: Courier): void {
    const { url, secret } = this.store.account.webhook;
    const isSetUp = url !== null && (url !== before.url || secret !== before.secret);
    const ping = isSetUp ? planPing(this.store) : null;
    if (ping) void courier.send(ping);
  }

  routes(courier: Courier): Readonly<Record<string, Handler>> {
    return ownRoutes(this.store, courier);
  }
}
