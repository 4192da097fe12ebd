import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendPage } from './answers.js';
import { type Message, newDelivery } from './callbacks.js';
import type { Answered, Change, Delivery, Kinds, Transaction } from './model.js';
import { type CallbackBehaviour, callbackShapes, type RuleForms } from './rules.js';
import { checked, invalid, type Json, object, type Shapes, text } from './shapes.js';
import type { Store } from './store.js';

/** Answers a call to the control surface; the result is answered with 200. */
export type Handler = (body: Json, query: URLSearchParams) => unknown;

/** Does what is due by the vendor's clock. */
export interface Courier {
  /** Must be called after every change that may make something due, or due sooner. */
  arm(): void;
  /** Sends one callback now, and returns it with the result. */
  send(delivery: Delivery): Promise<Delivery>;
}

/** What a test puts into a callback that no change caused. */
export type Forged<B extends CallbackBehaviour = CallbackBehaviour> = B & {
  readonly set?: Json;
  readonly url?: string;
  readonly event?: string;
};

/** The state that a purchase moves to. */
export type StateOf<T extends Transaction> = Omit<T['steps'][number], 'due_ms'>;

export type Outcome = 'succeeded' | 'pending' | 'failed';

/** What a simulator knows of one vendor. */
export abstract class Vendor<K extends Kinds> {
  abstract readonly store: Store<K>;
  abstract readonly rules: RuleForms;
  /** The reply that a rule sends when the vendor does not decide. */
  abstract readonly undecided: K['reply'];
  /** Members of a forged callback besides those of every vendor. */
  readonly forged: Shapes = {};

  /** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
  abstract receive(request: IncomingMessage): Promise<K['call']>;
  /** Decides a call that the vendor has. The decision is on record when this returns. */
  abstract decide(call: K['call'], rule: K['rule'] | undefined): K['reply'];
  /** Sends `reply` as the rule says. */
  abstract answer(response: ServerResponse, reply: K['reply'], rule: K['rule'] | undefined): Answered;
  /** Whether the answer to a callback accepts it. */
  abstract isAccepted(status: number | null, body: string): boolean;
  abstract outcomeOf(transaction: K['transaction']): Outcome;
  /** The change that a body of `POST /_sim/account` makes. @throws Invalid */
  abstract accountChange(body: Json): Change<K>;

  protected abstract move(transaction: K['transaction'], state: StateOf<K['transaction']>): void;
  /** The members of the latest purchase under a reference for `GET /_sim/purchases`. */
  protected abstract purchaseView(latest: K['transaction']): Json;
  protected abstract accountView(): Json;
  /** The address that a forged callback goes to unless the test names one. */
  protected abstract callbackUrl(transaction: K['transaction']): string | null;
  protected abstract forgedMessage(transaction: K['transaction'], wanted: Forged): Omit<Message, 'url'>;

  /** Answers what is not among the vendor's calls. I: which page a wrong method or path gets. */
  answerElsewhere(_call: K['call'], response: ServerResponse, _courier: Courier): Promise<Answered> {
    return Promise.resolve(sendPage(response, 404));
  }

  /** Takes a step of a purchase that is due. */
  take(transaction: K['transaction'], { due_ms: _, ...state }: K['transaction']['steps'][number]): void {
    this.move(transaction, state);
  }

  /** The callback for the next delivery, after it was not accepted. */
  again(delivery: Delivery): Delivery {
    return delivery;
  }

  /** The callback as it is sent, with headers that depend on the time of sending. */
  outgoing(delivery: Delivery): Delivery {
    return delivery;
  }

  /** A callback that says what a test wants; null where there is no address. */
  forge(transaction: K['transaction'], wanted: Forged): Delivery | null {
    const url = wanted.url ?? this.callbackUrl(transaction);
    if (url === null) return null;
    const { ref_id, trx_id } = transaction;
    const message = { ...this.forgedMessage(transaction, wanted), url };
    return newDelivery(this.store, message, { ref_id, trx_id, from: wanted.from ?? null });
  }

  /** The purchases under every reference, or under one. The counts are the oracle for "bought once". */
  purchases(refId: string | null): Json[] {
    const references = refId === null ? Array.from(this.store.references()) : [refId];
    return references.flatMap((ref_id) => {
      const transactions = this.store.underReference(ref_id);
      const latest = transactions.at(-1);
      if (latest === undefined) return [];
      const count = (outcome: Outcome): number =>
        transactions.filter((each) => this.outcomeOf(each) === outcome).length;
      return {
        ref_id,
        ...this.purchaseView(latest),
        price_debited: this.debited(transactions),
        times_bought: transactions.filter(({ ever_succeeded }) => ever_succeeded).length,
        standing: count('succeeded'),
        pending: count('pending'),
        sends: transactions.reduce((sum, each) => sum + each.sends, 0),
        transactions,
      };
    });
  }

  account(): Json {
    return { ...this.accountView(), debited: this.debited(Array.from(this.store.transactions.values())) };
  }

  /** Further effects of `POST /_sim/account`. */
  accountChanged(_before: K['account'], _courier: Courier): void {}

  /** The routes of the control surface besides those of `Control`. */
  routes(courier: Courier): Readonly<Record<string, Handler>> {
    return { 'POST /_sim/settle': (body) => this.settle(body, courier) };
  }

  /** The latest purchase under a reference. @throws Invalid when there is none */
  latest(refId: string | undefined): K['transaction'] {
    const transaction = this.store.underReference(refId ?? '').at(-1);
    if (transaction === undefined) throw invalid(`there is no transaction ${refId ?? 'without ref_id'}`);
    return transaction;
  }

  /** An amount for the control surface. */
  protected amount(units: number): number | string {
    return units;
  }

  /** The members of `POST /_sim/settle` besides `ref_id` and `callback`. */
  protected get settleShapes(): Shapes {
    return this.rules.step;
  }

  /** The state that a body of `POST /_sim/settle` names. @throws Invalid */
  protected settledState(wanted: Json): StateOf<K['transaction']> {
    const needed = this.rules.stepNeeds;
    if (wanted[needed] === undefined) throw invalid(`settle.${needed} is required`);
    return wanted as StateOf<K['transaction']>;
  }

  private debited(transactions: readonly Transaction[]): number | string {
    return this.amount(transactions.reduce((sum, { debited }) => sum + debited, 0));
  }

  /** Moves a purchase at once and forgets the steps that were planned for it. */
  private settle(body: Json, courier: Courier): Json[] {
    const shapes = { ...this.settleShapes, ref_id: text, callback: object };
    type Settlement = { ref_id?: string; callback?: K['transaction']['callback'] };
    const { ref_id, callback, ...wanted } = checked<Settlement & Json>(body, 'settle', shapes);
    const state = this.settledState(wanted);
    if (callback) checked(callback, 'callback', callbackShapes(this.rules));
    const transaction = this.latest(ref_id);
    this.move({ ...transaction, steps: [], callback: callback ?? transaction.callback }, state);
    courier.arm();
    return this.purchases(transaction.ref_id);
  }
}
