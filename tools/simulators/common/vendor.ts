import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answered, Change, Delivery, Kinds, Transaction } from './model.js';
import type { CallbackBehaviour, RuleForms } from './rules.js';
import type { Json, Shapes } from './shapes.js';
import type { Store } from './store.js';

/** Answers a call to the control surface; the result is answered with 200. */
export type Handler = (body: Json, query: URLSearchParams) => unknown;

/** Brings about what is due, by the vendor's clock. */
export interface Courier {
  /** To be called after whatever may have made something due, or due sooner. */
  arm(): void;
  /** Sends one callback now, and returns it with what became of it. */
  send(delivery: Delivery): Promise<Delivery>;
}

/** What a test wants a callback to be like that nothing gave rise to. */
export type Forged = CallbackBehaviour & { readonly set?: Json; readonly url?: string };

/** What a simulator knows of one vendor. */
export interface Vendor<K extends Kinds> {
  readonly store: Store<K>;
  readonly rules: RuleForms;
  /** Members of a forged callback besides those of every vendor. */
  readonly forged: Shapes;

  /** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
  receive(request: IncomingMessage): Promise<K['call']>;
  /** Decides a call that the vendor has; what it decides is on record when it returns. */
  decide(call: K['call'], rule: K['rule'] | undefined): K['reply'];
  /** What a rule answers when the vendor never got to decide. */
  readonly undecided: K['reply'];
  /** Sends `reply` as the rule wants it. */
  answer(response: ServerResponse, reply: K['reply'], rule: K['rule'] | undefined): Answered;
  /** Answers what the vendor does not have, or has beside its calls. */
  answerElsewhere(call: K['call'], response: ServerResponse, courier: Courier): Promise<Answered>;

  /** Takes a step of a purchase that is due. */
  take(transaction: K['transaction'], step: K['transaction']['steps'][number]): void;
  /** The local address that callbacks come from; null leaves it to the system. */
  callbackFrom(): string | null;
  isAccepted(status: number | null, body: string): boolean;
  /** A callback as it is delivered again after it was not accepted. */
  again(delivery: Delivery): Delivery;
  /** A callback with whatever a test wants it to say; null where there is no address. */
  forge(transaction: K['transaction'], wanted: Forged & Json): Delivery | null;

  /** The purchases under every reference, or under one. */
  purchases(refId: string | null): unknown;
  account(): unknown;
  /** What a body of `POST /_sim/account` changes. @throws Invalid */
  accountChange(body: Json): Change<K>;
  /** What else `POST /_sim/account` brings about. */
  accountChanged?(before: K['account'], courier: Courier): void;
  /** The routes of the control surface that only this vendor has. */
  routes(courier: Courier): Readonly<Record<string, Handler>>;
}

/** What was done under one reference, however often it was bought. */
export interface PurchaseCounts {
  /** What is taken from the deposit for this reference at present. */
  readonly price_debited: number;
  /** How many transactions of the reference ever succeeded. */
  readonly times_bought: number;
  /** How many are a success at present. */
  readonly standing: number;
  readonly pending: number;
  readonly sends: number;
}

/** Counts the transactions of one reference: the oracle for "bought once". */
export function countsOf<T extends Transaction>(
  transactions: readonly T[],
  outcomeOf: (transaction: T) => 'succeeded' | 'pending' | 'failed',
): PurchaseCounts {
  const count = (passes: (each: T) => boolean): number => transactions.filter(passes).length;
  return {
    price_debited: transactions.reduce((sum, { debited }) => sum + debited, 0),
    times_bought: count(({ ever_succeeded }) => ever_succeeded),
    standing: count((each) => outcomeOf(each) === 'succeeded'),
    pending: count((each) => outcomeOf(each) === 'pending'),
    sends: transactions.reduce((sum, each) => sum + each.sends, 0),
  };
}
