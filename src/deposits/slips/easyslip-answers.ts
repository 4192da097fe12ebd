import { JsonNumber } from '../../core/exact-json.js';
import { parseBaht } from '../../core/money.js';
import { readMoment } from '../../core/moments.js';
import { shownText } from '../../suppliers/adapter-answers.js';
import type { HttpAnswer } from '../../suppliers/adapter-http.js';
import type { SlipPayment, SlipReading } from '../channels/channel-adapter.js';
import type { MiniQr } from './mini-qr.js';

/** The account that slips must have paid. */
export interface SlipReceiver {
  bank: string;
  account: string;
  /** The PromptPay or biller id by which the account is paid. */
  payeeId: string;
}

/** The minimum of visible digits of a masked number that identify an account. */
const MIN_VISIBLE = 4;

type Json = Record<string, unknown>;

const member = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? (inner as Json)[name] : undefined,
    value,
  );

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads the answer about a slip. A duplicate is an answer like any other: we also get one if the answer to our own first call was
 * lost. The slip's receiver, amount, time and references decide. The vendor's comparison of amounts does not.
 */
export function readSlip({ status, body }: HttpAnswer, expected: MiniQr, receiver: SlipReceiver): SlipReading {
  const code = textOf(member(body, 'error', 'code')) || textOf(member(body, 'message'));
  if (status === 401 || status === 403) return { kind: 'refused', detail: `${status} ${shownText(code)}` };
  const isDuplicate = status === 400 && /^duplicate_slip$/i.test(code);
  const data = member(body, 'data');
  // In answers of version 1 of the API, `data` is the slip itself.
  const slip = member(data, 'rawSlip') ?? data;
  if ((status !== 200 && !isDuplicate) || textOf(member(slip, 'transRef')) === '') {
    return { kind: 'unknown', detail: `${status} ${shownText(code) || 'without a slip'}` };
  }
  const facts = readFacts(data, slip, expected);
  if (typeof facts === 'string') return { kind: 'unclear', detail: `the answer about the slip has ${facts}` };
  return isReceiver(data, slip, receiver) ? facts : { kind: 'wrong_receiver' };
}

/** @returns the payment; or a text that says what is wrong. */
function readFacts(data: unknown, slip: unknown, { bank, transRef }: MiniQr): string | SlipPayment {
  if (member(slip, 'transRef') !== transRef) return 'another number';
  if (member(slip, 'sender', 'bank', 'id') !== bank) return 'another sending bank';
  const currency = textOf(member(slip, 'amount', 'local', 'currency'));
  if (!['', 'THB', '764'].includes(currency)) return 'another currency';
  const amounts = [member(data, 'amountInSlip'), member(slip, 'amount', 'amount')].filter((each) => each !== undefined);
  const [amount, other = amount] = amounts.map((each) => (each instanceof JsonNumber ? parseBaht(each.text) : null));
  if (!amount || other !== amount) return 'no single amount in satang';
  const paidAt = readMoment(textOf(member(slip, 'date')));
  if (!paidAt) return 'no date with a time zone';
  const references = ['ref1', 'ref2'].map((name) => textOf(member(slip, name)));
  return { kind: 'paid', amount, paidAt, references };
}

/**
 * Whether the receiver is ours: the vendor matched our account, or the slip shows our bank, and of our account and our payee id at
 * least one matches and none differs.
 */
function isReceiver(data: unknown, slip: unknown, { bank, account, payeeId }: SlipReceiver): boolean {
  const matched = textOf(member(data, 'matchedAccount', 'bankNumber')).replaceAll('-', '');
  if (matched === account && member(data, 'matchedAccount', 'bank', 'code') === bank) return true;
  if (member(slip, 'receiver', 'bank', 'id') !== bank) return false;
  const shown = member(slip, 'receiver', 'account');
  // With another type, the number is a token or a dummy.
  const isAccount = ['', 'BANKAC'].includes(textOf(member(shown, 'bank', 'type')));
  const verdicts = [
    compare(isAccount ? textOf(member(shown, 'bank', 'account')) : '', account),
    compare(textOf(member(shown, 'proxy', 'account')), payeeId),
  ];
  return verdicts.includes('same') && !verdicts.includes('other');
}

/** Compares the visible digits of a masked number. Fewer than `MIN_VISIBLE` equal digits prove nothing. */
function compare(shown: string, number: string): 'same' | 'other' | 'unclear' {
  const masked = shown.replaceAll(/[-\s]/g, '');
  if (masked === '') return 'unclear';
  const visible = Array.from(masked, (each, at) => ({ each, at })).filter(({ each }) => /\d/.test(each));
  if (masked.length !== number.length || visible.some(({ each, at }) => number[at] !== each)) return 'other';
  return visible.length >= MIN_VISIBLE ? 'same' : 'unclear';
}
