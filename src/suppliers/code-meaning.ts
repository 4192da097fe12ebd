import type { UnitFailureCode } from '../core/failures.js';
import type { Fault } from './supplier-outcome.js';

/** A refusal that a vendor's code stands for. */
export interface CodeRefusal {
  kind: 'failed';
  code: UnitFailureCode;
  /** Whether another supplier may well sell it. */
  failover: boolean;
  /** It is about the price, or about the amount where that is the key of the product. */
  isPriceRefused?: true;
}

/** What a vendor's code says of a purchase, by the answer to its first send. */
export type CodeMeaning =
  /** Accepted, which is not delivered. */
  | { kind: 'processing' }
  | CodeRefusal
  /** Nothing was bought, and nothing will be until this is put right or has passed. */
  | { kind: 'not_accepted'; fault: Fault }
  | { kind: 'unknown' };

/** Codes, each with what it is called and what it means. */
export type CodeRows<Meaning = CodeMeaning> = Record<string, readonly [words: string, meaning: Meaning]>;

/** Another supplier may well sell it. */
export const elsewhere = (code: UnitFailureCode): CodeRefusal => ({ kind: 'failed', code, failover: true });

/** Every supplier would say the same. */
export const nowhere = (code: UnitFailureCode): CodeRefusal => ({ kind: 'failed', code, failover: false });

export const faulty = (fault: Fault): CodeMeaning => ({ kind: 'not_accepted', fault });

export const UNKNOWN: CodeMeaning = { kind: 'unknown' };
