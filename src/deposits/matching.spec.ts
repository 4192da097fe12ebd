import { describe, expect, it } from '@jest/globals';
import { Matcher, referencesIn, type Candidate, type MatchingRules, type ReportedPayment } from './matching.js';

const OWN = { channelId: 1, ignored: ['INTEREST'] };
const RULES: MatchingRules = { ...OWN, recognizedBy: 'amount', holdAbove: 20_000_000n, skewMs: 30_000 };

const at = (time: string): Date => new Date(`2026-11-24T${time}+07:00`);

let ids = 0n;
/** Made at 15:00:45, valid until 15:15:45, held until a day later. */
function deposit(changes: Partial<Candidate> = {}): Candidate {
  const created_at = changes.created_at ?? at('15:00:45');
  const expires_at = new Date(created_at.getTime() + 900_000);
  const hold_until = new Date(expires_at.getTime() + 86_400_000);
  const id = ++ids;
  const who = { id, deposit_number: `dep_${id}`, channel_id: 1, merchant_id: 1, reference: `DREF${id}` };
  const own = { ...who, status: 'pending' as const, is_full: false };
  const times = { created_at, expires_at, cancelled_at: null, hold_until };
  return { ...own, channel_payment_id: null, amount: 100_000n, amount_to_pay: 100_014n, ...times, ...changes };
}

const payment = (changes: Partial<ReportedPayment> = {}): ReportedPayment => ({
  amount: 100_014n,
  currency: 'THB',
  paidAt: at('15:05:00'),
  precision: 'minute',
  references: [],
  texts: [],
  ...changes,
});

const matched = (candidates: Candidate[], reported: ReportedPayment, rules: Partial<MatchingRules> = {}): object =>
  new Matcher({ ...RULES, ...rules }, candidates).match(reported);

describe('a payment that can only be recognized by its amount', () => {
  const one = deposit();

  it.each([
    ['in the minute of the creation', '15:00:00'],
    ['20 seconds before it, by a clock in seconds', '15:00:25'],
    ['late, within the hold', '23:59:00'],
  ])('is booked %s', (_, time) => {
    const precision = time.endsWith(':00') ? 'minute' : 'second';
    expect(matched([one], payment({ paidAt: at(time), precision }))).toEqual({
      state: 'booked',
      deposit: one,
      by: 'amount',
    });
  });

  it.each(['expired', 'cancelled'] as const)('is booked although its deposit is %s', (status) => {
    expect(matched([deposit({ status })], payment())).toMatchObject({ state: 'booked' });
  });

  it.each([
    ['two minutes before the creation', '14:58:00', 'TOO_EARLY'],
    ['an hour before', '14:00:00', 'TOO_EARLY'],
  ])('waits %s', (_, time, reason) => {
    expect(matched([one], payment({ paidAt: at(time) }))).toEqual({ state: 'waiting', reason, deposit: one });
  });

  it('waits 31 seconds before the creation, by a clock in seconds', () => {
    expect(matched([one], payment({ paidAt: at('15:00:14'), precision: 'second' }))).toMatchObject({
      reason: 'TOO_EARLY',
    });
  });

  it('waits after the hold, and with another amount', () => {
    expect(matched([one], payment({ paidAt: new Date(one.hold_until.getTime() + 60_000) }))).toMatchObject({
      reason: 'UNMATCHED',
    });
    expect(matched([one], payment({ amount: 100_013n }))).toEqual({
      state: 'waiting',
      reason: 'UNMATCHED',
      deposit: null,
    });
  });

  it('waits as the second one for its deposit, in one file and later', () => {
    const matcher = new Matcher(RULES, [one]);
    expect(matcher.match(payment())).toMatchObject({ state: 'booked' });
    expect(matcher.match(payment())).toEqual({ state: 'waiting', reason: 'DOUBLE', deposit: one });
    expect(matched([deposit({ status: 'paid' })], payment())).toMatchObject({ reason: 'DOUBLE' });
    expect(matched([deposit({ is_full: true })], payment())).toMatchObject({ reason: 'DOUBLE' });
  });

  it('leaves its deposit to the next one if it waits for another reason, in one file as in two', () => {
    const matcher = new Matcher(RULES, [one]);
    const waiting = { state: 'waiting', reason: 'DOUBLE', deposit: one } as const;
    expect(matcher.match(payment(), () => waiting)).toEqual(waiting);
    expect(matcher.match(payment())).toMatchObject({ state: 'booked', deposit: one });
  });

  it('waits when it is late and another merchant had the amount before, unpaid', () => {
    const before = deposit({
      merchant_id: 2,
      created_at: new Date(one.created_at.getTime() - 10 * 86_400_000),
      status: 'expired',
    });
    const late = payment({ paidAt: at('16:00:00') });
    expect(matched([before, one], late)).toEqual({ state: 'waiting', reason: 'AMBIGUOUS', deposit: one });
    expect(matched([before, one], payment())).toMatchObject({ state: 'booked', deposit: one });
    expect(matched([{ ...before, status: 'paid' }, one], late)).toMatchObject({ state: 'booked' });
    expect(matched([{ ...before, merchant_id: 1 }, one], late)).toMatchObject({ state: 'booked' });
  });

  it('is late for a cancelled deposit from then on: a merchant may have made it for its amount', () => {
    const created_at = new Date(one.created_at.getTime() - 10 * 86_400_000);
    const before = deposit({ merchant_id: 2, created_at, status: 'expired' });
    const cancelled = deposit({ status: 'cancelled', cancelled_at: at('15:02:00') });
    expect(matched([before, cancelled], payment())).toMatchObject({ state: 'waiting', reason: 'AMBIGUOUS' });
    expect(matched([cancelled], payment())).toMatchObject({ state: 'booked' });
    const inTime = payment({ paidAt: at('15:01:00') });
    expect(matched([before, cancelled], inTime)).toMatchObject({ state: 'booked', deposit: cancelled });
  });

  it('never matches an amount that was asked for and not dealt', () => {
    expect(matched([deposit({ amount_to_pay: 100_000n })], payment({ amount: 100_000n }))).toMatchObject({
      reason: 'UNMATCHED',
    });
  });
});

describe('a payment with a reference of ours', () => {
  const one = deposit({ reference: 'DH7K3M9QX2B4', amount_to_pay: 100_000n, status: 'cancelled' });

  it('is booked whatever the amount, the status and the time', () => {
    const late = payment({
      amount: 1n,
      references: ['DH7K3M9QX2B4'],
      paidAt: new Date('2027-01-01'),
      precision: 'day',
    });
    expect(matched([one], late, { recognizedBy: 'reference' })).toEqual({
      state: 'booked',
      deposit: one,
      by: 'reference',
    });
  });

  it('is booked again for a deposit that is paid', () => {
    const reported = payment({ references: ['DH7K3M9QX2B4'] });
    expect(matched([{ ...one, status: 'paid' }], reported)).toMatchObject({ state: 'booked' });
  });

  it('waits if it names two deposits, is in another currency, or is large', () => {
    const other = deposit({ reference: 'D00000000000' });
    const reported = payment({ references: ['DH7K3M9QX2B4', 'D00000000000'] });
    expect(matched([one, other], reported)).toMatchObject({ reason: 'AMBIGUOUS' });
    expect(matched([one], payment({ references: [one.reference], currency: 'USD' }))).toMatchObject({
      reason: 'WRONG_CURRENCY',
    });
    const large = payment({ references: [one.reference], amount: 20_000_001n });
    expect(matched([one], large)).toEqual({ state: 'waiting', reason: 'LARGE', deposit: one });
  });

  it('waits if the deposit is of another channel, which may report the payment, too', () => {
    const other = deposit({ channel_id: 2, status: 'pending' });
    const reported = payment({ references: [other.deposit_number] });
    const waiting = { state: 'waiting', reason: 'DOUBLE', deposit: other };
    expect(matched([other], reported, { recognizedBy: 'reference' })).toEqual(waiting);
    expect(matched([other], payment())).toMatchObject({ reason: 'UNMATCHED', deposit: null });
  });

  it('is ignored if the line says that it is none', () => {
    expect(matched([one], payment({ references: [one.reference], texts: ['INTEREST'] }))).toEqual({ state: 'ignored' });
  });

  it('is read as a whole word, in any case of letters', () => {
    expect(referencesIn('ref dh7k3m9qx2b4/DH7K3M9QX2B5')).toEqual(['DH7K3M9QX2B4', 'DH7K3M9QX2B5']);
    expect(referencesIn('XDH7K3M9QX2B4 DH7K3M9QX2B DH7K3M9QX2B4X DH7K3M9QX2BI')).toEqual([]);
  });
});
