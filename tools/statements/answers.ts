import { formatBaht } from '../../src/core/money.js';
import type { Created } from './model.js';

/** The members of a created deposit that statements depend on, as the API and the command line answer them. */
export interface Answer {
  readonly deposit_number: string;
  readonly reference_id: string;
  readonly amount: string;
  readonly amount_to_pay: string;
  readonly qr_payload: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** 24 hours after `expires_at` unless given. */
  readonly hold_until?: string;
}

const DAY_MS = 86_400_000;

/** Reads lines of JSON, one for each deposit that was made. @returns the deposits by `reference_id` */
export function readAnswers(text: string): Map<string, Created> {
  const answers = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(
    answers.map((line) => {
      const answer = JSON.parse(line) as Answer;
      const expiresMs = Date.parse(answer.expires_at);
      const created: Created = {
        number: answer.deposit_number,
        requested: satangOf(answer.amount),
        amount: satangOf(answer.amount_to_pay),
        reference: firstReference(answer.qr_payload),
        createdMs: Date.parse(answer.created_at),
        expiresMs,
        heldUntilMs: answer.hold_until === undefined ? expiresMs + DAY_MS : Date.parse(answer.hold_until),
      };
      return [answer.reference_id, created];
    }),
  );
}

export const satangOf = (baht: string): number => Number(baht.replace('.', ''));

export const bahtOf = (satang: number): string => formatBaht(BigInt(satang));

/** The members of a text of two-digit ids and two-digit lengths. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 4 <= text.length;) {
    const end = at + 4 + Number(text.slice(at + 2, at + 4));
    fields.set(text.slice(at, at + 2), text.slice(at + 4, end));
    at = end;
  }
  return fields;
}

/** Tag 30 is a bill payment; its field 02 is the first reference. */
const firstReference = (payload: string): string | null =>
  fieldsOf(fieldsOf(payload).get('30') ?? '').get('02') ?? null;
