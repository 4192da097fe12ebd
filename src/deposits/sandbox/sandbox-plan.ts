import { randomInt } from 'node:crypto';
import { parseBaht, type Satang } from '../../core/money.js';
import { amountsToDeal } from '../dealing.js';
import { promptPayPayload } from '../channels/promptpay/promptpay-qr.js';
import type { Offer } from '../deposits.repository.js';

/** A payment of a sandbox deposit; times in seconds after the creation of the deposit. */
interface SandboxPayment {
  paidAfter: number;
  bookedAfter: number;
  /** Below or above the amount to pay. */
  difference: Satang;
}

/** Seconds from a deposit's QR code to its payment. */
export const PAID_AFTER = 2;
const paid = (after = PAID_AFTER, changes: Partial<SandboxPayment> = {}): SandboxPayment => {
  return { paidAfter: after, bookedAfter: after, difference: 0n, ...changes };
};

/** The payments of a deposit, by its amount. With any other amount, it is paid after two seconds. @param expiresIn seconds. */
const PLANS: Readonly<Record<string, (expiresIn: number) => SandboxPayment[]>> = {
  '1001.00': () => [],
  '1002.00': (expiresIn) => [paid(expiresIn + 5)],
  '1003.00': () => [paid(PAID_AFTER, { difference: -100n })],
  '1004.00': () => [paid(PAID_AFTER, { difference: 100n })],
  '1005.00': () => [paid(), paid(PAID_AFTER + 1)],
  // This payment carries no reference, so it waits, as if for an operator.
  '1006.00': () => [paid(PAID_AFTER, { bookedAfter: 10 })],
  '1008.00': () => [paid(0)],
};
const BY_AMOUNT = new Map(Object.entries(PLANS).map(([amount, plan]) => [parseBaht(amount), plan]));
const UNAVAILABLE_FIRST = parseBaht('1007.00');
const REPORTED_THRICE = parseBaht('1008.00');

export const sandboxPayments = (amount: Satang, expiresIn: number): SandboxPayment[] =>
  BY_AMOUNT.get(amount)?.(expiresIn) ?? [paid()];

/** When the channel reports something next. @param after seconds after the creation. @returns null after the last report. */
export function nextReport(amount: Satang, expiresIn: number, after: number): number | null {
  const times = sandboxPayments(amount, expiresIn).flatMap(({ paidAfter, bookedAfter }) => [paidAfter, bookedAfter]);
  if (amount === REPORTED_THRICE) times.push(1, PAID_AFTER);
  const next = Math.min(...times.filter((time) => time > after));
  return Number.isFinite(next) ? next : null;
}

/** A QR code's text for an id that no bank knows. */
export const sandboxQr = (amountToPay: Satang): string =>
  promptPayPayload({ promptpayId: '0000000000000' }, amountToPay, '');

/** The offer for a sandbox deposit. Satang are added as on a live channel, although its payments are recognized by reference. */
export function offerInSandbox(amount: Satang, expiresIn: number): Offer {
  const amounts = amountsToDeal(amount, 2, 3);
  const amountToPay = amounts[randomInt(amounts.length)] ?? amount;
  const isUnavailable = amount === UNAVAILABLE_FIRST;
  return {
    amountToPay,
    holdsAmount: false,
    qrPayload: isUnavailable ? null : sandboxQr(amountToPay),
    inquiryAfter: isUnavailable ? null : nextReport(amount, expiresIn, -1),
  };
}
