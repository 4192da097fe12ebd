import { parseMicros, type CostMoney } from '../core/cost-money.js';
import { AppError } from '../core/errors.js';
import { JsonNumber } from '../core/exact-json.js';
import type { UnitFailureCode } from '../core/failures.js';
import { storable, textProblem } from '../core/text.js';
import type { Attempt, CatalogueProbe, CatalogueReading, ProductReading, Unavailable } from './supplier-adapter.js';
import { describeFailure, wasNeverSent, type HttpAnswer } from './adapter-http.js';
import type { Fault, SupplierOutcome } from './supplier-outcome.js';

const MAX_NAME_LENGTH = 255;
const MAX_SHOWN_LENGTH = 500;

/** The members of an object that `parseExactJson` read. */
export type Members = Partial<Record<string, unknown>>;

/** Undefined for anything but a JSON object. */
export const asMembers = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
    ? value
    : undefined;

/** The elements of a JSON array; none for anything else. */
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The text of a string or a number. Suppliers send some members sometimes as a string and sometimes as a number. */
export function textOf(value: unknown): string | undefined {
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a member has a value. Suppliers also send empty members. */
export const isGiven = (member: unknown): boolean => member !== undefined && member !== null && member !== '';

/** Whether a member has a value, and this value differs from ours. */
export const isOther = (member: unknown, ours: string | null): boolean =>
  ours !== null && isGiven(member) && textOf(member) !== ours;

/** A name that the service can look up and store unchanged; undefined for anything else. */
export function nameOf(member: unknown): string | undefined {
  const text = textOf(member);
  return text === undefined || textProblem(text, 1, MAX_NAME_LENGTH) !== null ? undefined : text;
}

/** A supplier's text for people, in a form that can be stored and shown; empty if there is none. */
export const shownText = (member: unknown): string => storable(textOf(member) ?? '', MAX_SHOWN_LENGTH);

/** An amount as a supplier writes it; null if it can't be read. */
export function amountOf(member: unknown, currency: string): CostMoney | null {
  const micros = parseMicros(textOf(member) ?? '');
  return micros === null ? null : { micros, currency };
}

/** Finds the product with a SKU in the reading of a catalogue. If the SKU is listed twice, the later entry counts. */
export const productIn = (reading: CatalogueReading, sku: string): ProductReading =>
  reading.known
    ? { known: true, product: reading.products.findLast((product) => product.sku === sku) ?? null }
    : reading;

/** Only whether the reading was possible, without its products. */
export const toProbe = (reading: CatalogueReading | ProductReading): CatalogueProbe =>
  reading.known ? { known: true } : reading;

type Call = () => Promise<HttpAnswer>;

/** Returns the result of `read` for the answer to a call. Without an answer, it returns the result of `failed` for the error. */
export async function callAndRead<Result, Failure>(
  call: Call,
  read: (answer: HttpAnswer) => Result,
  failed: (error: unknown) => Failure,
): Promise<Result | Failure> {
  try {
    return read(await call());
  } catch (error) {
    return failed(error);
  }
}

/** Sends an attempt. Without an answer, the outcome is `unknown`, unless the call certainly never left. */
export const sendAndRead = (
  attempt: Attempt,
  call: Call,
  read: (answer: HttpAnswer) => SupplierOutcome,
): Promise<SupplierOutcome> =>
  callAndRead(call, read, (error) => {
    const detail = describeFailure(error);
    return wasNeverSent(error) ? notSent(attempt, { detail }) : { kind: 'unknown', detail };
  });

/** Queries the result of an attempt. Without an answer, the outcome is `unknown`. */
export const inquireAndRead = (call: Call, read: (answer: HttpAnswer) => SupplierOutcome): Promise<SupplierOutcome> =>
  callAndRead(call, read, (error) => ({ kind: 'unknown', detail: describeFailure(error) }));

/** Requests data that is not about an attempt, such as our balance. */
export const requestAndRead = <Reading>(
  call: Call,
  read: (answer: HttpAnswer) => Reading,
): Promise<Reading | Unavailable> => callAndRead(call, read, noAnswer);

export const noAnswer = (error: unknown): Unavailable => ({
  known: false,
  detail: describeFailure(error),
  offersNone: false,
});

/**
 * The outcome of a send that certainly did not leave. For a repeat it is `unknown`, because an earlier send may have bought
 * the unit.
 */
export const notSent = ({ isRepeat }: Attempt, why: { detail: string; fault?: Fault }): SupplierOutcome => ({
  kind: isRepeat ? 'unknown' : 'not_accepted',
  ...why,
});

/** The meaning of a response code that refuses the purchase. */
export interface CodeRefusal {
  kind: 'failed';
  code: UnitFailureCode;
  /** Whether another offer may still buy the unit. */
  failover: boolean;
  /** Set if the refusal is about the price, or about an amount that identifies the product. */
  isPriceRefused?: true;
}

/** The meaning of a supplier's response code in the answer to the first send of a purchase. */
export type CodeMeaning =
  /** Accepted, but not delivered yet. */
  | { kind: 'processing' }
  | CodeRefusal
  /** Nothing was bought, and nothing can be bought before the fault has been corrected or has passed. */
  | { kind: 'not_accepted'; fault: Fault }
  | { kind: 'unknown' };

/** Response codes of a supplier, each with a label for people and its meaning. */
export type ResponseCodeRows<Meaning = CodeMeaning> = Record<string, readonly [label: string, meaning: Meaning]>;

export interface ResponseCode<Meaning = CodeMeaning> {
  label: string;
  meaning: Meaning;
}

export const toResponseCodes = <Meaning>(rows: ResponseCodeRows<Meaning>): ReadonlyMap<string, ResponseCode<Meaning>> =>
  new Map(Object.entries(rows).map(([code, [label, meaning]]) => [code, { label, meaning }]));

/** A refusal after which another supplier may sell the unit. */
export const refusedHere = (code: UnitFailureCode): CodeRefusal => ({ kind: 'failed', code, failover: true });

/** A refusal that every supplier would repeat. */
export const refusedEverywhere = (code: UnitFailureCode): CodeRefusal => ({ kind: 'failed', code, failover: false });

export const ourFault = (fault: Fault): CodeMeaning => ({ kind: 'not_accepted', fault });

export const UNKNOWN: CodeMeaning = { kind: 'unknown' };

interface Unreadable {
  kind: 'unreadable';
  detail: string;
}

/** The reading of a callback that cannot be read. */
export const unreadable = (detail: string): Unreadable => ({ kind: 'unreadable', detail });

/** The reading of a callback of a supplier or vendor whose adapter takes no callbacks. */
export const NO_CALLBACKS = unreadable('its adapter takes no callbacks');

/** The reading of a callback whose reading failed. */
export function unreadableBy(error: unknown): Unreadable {
  // Other errors are reported by their names only, because their messages may quote the body.
  const reason = error instanceof AppError ? error.message : (error as Error).name;
  return unreadable(`it could not be read: ${reason}`);
}
