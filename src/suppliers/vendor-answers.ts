import { parseMicros, type CostMoney } from '../core/cost-money.js';
import { JsonNumber } from '../core/exact-json.js';
import { storable, textProblem } from '../core/text.js';
import type { Attempt, Unavailable } from './supplier-adapter.js';
import { describeFailure, wasNeverSent } from './supplier-http.js';
import type { Fault, SupplierOutcome } from './supplier-outcome.js';

const MAX_NAME_LENGTH = 255;
const MAX_SHOWN_LENGTH = 500;

/** The members of an object that was read by `parseExactJson`. */
export type Members = Partial<Record<string, unknown>>;

/** Undefined for what is no JSON object. */
export const asMembers = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
    ? value
    : undefined;

/** A member as it is written, text or number: vendors contradict themselves about some. */
export function textOf(value: unknown): string | undefined {
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a member says anything: vendors send empty ones too. */
export const isGiven = (member: unknown): boolean => member !== undefined && member !== null && member !== '';

/** A name that can be looked up and stored as it is. */
export function nameOf(member: unknown): string | undefined {
  const text = textOf(member);
  return text === undefined || textProblem(text, 1, MAX_NAME_LENGTH) !== null ? undefined : text;
}

/** A vendor's text for people, fit to be stored and shown; empty where there is none. */
export const shownText = (member: unknown): string => storable(textOf(member) ?? '', MAX_SHOWN_LENGTH);

/** An amount as a vendor writes it; null where it can't be read. */
export function amountOf(member: unknown, currency: string): CostMoney | null {
  const micros = parseMicros(textOf(member) ?? '');
  return micros === null ? null : { micros, currency };
}

/** A send that certainly did not leave: only of the first one does that mean that nothing was bought. */
export const notSent = ({ isRepeat }: Attempt, why: { detail: string; fault?: Fault }): SupplierOutcome => ({
  kind: isRepeat ? 'unknown' : 'not_accepted',
  ...why,
});

/** What it means for an attempt that its send threw. */
export function failedSend(error: unknown, attempt: Attempt): SupplierOutcome {
  const detail = describeFailure(error);
  return wasNeverSent(error) ? notSent(attempt, { detail }) : { kind: 'unknown', detail };
}

/** What it means for any other question that its call threw. */
export const unreachable = (error: unknown): Unavailable => ({
  known: false,
  detail: describeFailure(error),
  reached: false,
});
