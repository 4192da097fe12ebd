import { describe, expect, it } from '@jest/globals';
import type { Candidate, Match, ReportedPayment } from './matching.js';
import {
  confirmsByReference,
  isCovered,
  lineOf,
  orMayBeDecided,
  orWaits,
  pairWithLines,
  withKnown,
  type LonePayment,
} from './witnesses.js';

const at = (time: string): Date => new Date(`2026-11-24T${time}+07:00`);

let ids = 0n;
const known = (time: string, changes: Partial<LonePayment> = {}): LonePayment => {
  const id = ++ids;
  const none = {
    deposit_id: null,
    merchant_id: null,
    transfer_id: null,
    booked_by: null,
    booked_at: null,
    decision: null,
  };
  const witnesses = { charge_ref: null, slip_ref: `014:${id}`, line_id: null };
  const own = { id, public_id: `pay_${id}`, amount: 100_014n, currency: 'THB', paid_at: at(time) };
  const rest = { precision: 'second', state: 'booked', reason: null, reference: null } as const;
  return { ...own, ...witnesses, ...none, ...rest, ...changes };
};

const paired = (lines: ReportedPayment[], slips: LonePayment[], confirms = true) =>
  pairWithLines(lines, slips, () => confirms);
const found = (slip: ReportedPayment, lines: LonePayment[], isShown = true) => lineOf(slip, lines, isShown);

const reported = (time: string, changes: Partial<ReportedPayment> = {}): ReportedPayment => ({
  amount: 100_014n,
  currency: 'THB',
  paidAt: at(time),
  precision: 'minute',
  references: [],
  texts: [],
  ...changes,
});

describe('lines after slips', () => {
  it('are paired in the order of time, and what is left over is new', () => {
    const slips = [known('15:00:30'), known('15:01:10')];
    const lines = [reported('15:00:00'), reported('15:01:00'), reported('15:02:00')];
    expect([...paired(lines, slips)]).toEqual([
      [lines[0], slips[0]],
      [lines[1], slips[1]],
    ]);
  });

  it.each([
    ['15:10:30', '15:00:30', 1],
    ['15:10:31', '15:00:30', 0],
    ['14:50:30', '15:00:30', 1],
    ['14:50:29', '15:00:30', 0],
  ])('at %s and %s are %i payment of both', (line, slip, pairs) => {
    expect(paired([reported(line)], [known(slip)]).size).toBe(pairs);
  });

  it('of another amount are another payment', () => {
    expect(paired([reported('15:00:30', { amount: 100_015n })], [known('15:00:30')]).size).toBe(0);
  });

  it('that only name a day are of the slips of that day', () => {
    const line = reported('00:00:00', { precision: 'day' });
    expect(paired([line], [known('23:55:00')]).size).toBe(1);
    expect(paired([line], [known('23:55:00', { paid_at: new Date('2026-11-25T00:20:00+07:00') })]).size).toBe(0);
  });

  it('that name a deposit are paired with slips of the same deposit only, before all others', () => {
    const slips = [known('15:00:10', { reference: 'DA' }), known('15:00:20', { reference: 'DB' })];
    const [unnamed, b, c] = [{}, { references: ['DB'] }, { references: ['DC'] }].map((each) =>
      reported('15:00:00', each),
    );
    const pairs = paired(
      [c, unnamed, b].map((each) => each as ReportedPayment),
      slips,
    );
    expect([pairs.get(b as never), pairs.get(unnamed as never), pairs.get(c as never)]).toEqual([
      slips[1],
      slips[0],
      undefined,
    ]);
  });
});

describe('a witness that names no deposit', () => {
  const unnamed = reported('15:00:00');
  const slip = reported('15:00:00', { precision: 'second', references: ['DA'] });

  it.each<[string, boolean, Partial<LonePayment>, number]>([
    ['confirms a slip that names none', false, { state: 'waiting', reason: 'UNMATCHED' }, 1],
    ['confirms no booked slip whose own line may still come', false, { reference: 'DA' }, 0],
    ['confirms a booked slip without a line of its own', true, { reference: 'DA' }, 1],
    ['confirms no returned slip whose own line may still come', false, { state: 'returned', decision: 'return' }, 0],
    ['books no waiting slip', true, { reference: 'DA', state: 'waiting', reason: 'DOUBLE' }, 0],
  ])('as a line %s', (_, confirms, changes, pairs) => {
    expect(paired([unnamed], [known('15:00:30', changes)], confirms).size).toBe(pairs);
  });

  it('as a line is shown only by a file that goes on for ten minutes', () => {
    const confirms = (coveredUntil: Date) => confirmsByReference(unnamed, known('15:00:00'), new Map(), coveredUntil);
    expect([confirms(at('15:10:00')), confirms(at('15:09:59'))]).toEqual([true, false]);
  });

  it('as a line books no slip that may still get a line of its own, unless a person has decided', () => {
    const line = known('15:00:00', { state: 'waiting', reason: 'UNMATCHED' });
    const decided = known('15:00:00', { booked_by: 'person' });
    expect([found(slip, [line], false), found(slip, [line])]).toEqual([null, line]);
    expect(found(slip, [decided], false)).toBe(decided);
    expect(found({ ...slip, references: [] }, [line], false)).toBe(line);
  });
});

describe('a line that names a deposit', () => {
  it('confirms a slip that a person credited to the merchant of that deposit, and no other decided slip', () => {
    const line = reported('15:00:00', { references: ['DA'] });
    const confirms = (changes: Partial<LonePayment>, reference = 'DA') =>
      confirmsByReference(line, known('15:00:30', changes), new Map([[reference, 7]]), at('16:00:00'));
    expect(confirms({ booked_by: 'person', merchant_id: 7 })).toBe(true);
    expect(confirms({ booked_by: 'person', merchant_id: 8 })).toBe(false);
    expect(confirms({ state: 'returned', decision: 'return' })).toBe(false);
    expect(confirms({ state: 'returned', decision: 'return' }, 'DB')).toBe(false);
  });
});

describe('the deposit of a payment', () => {
  const line = reported('15:00:00', { references: ['DA'] });
  const slip = reported('15:00:00', { precision: 'second', references: ['DA'] });

  it.each<[string, Partial<LonePayment>, number]>([
    ['that its witness names is another payment’s', { reference: 'DX' }, 0],
    ['that a person chose proves nothing', { reference: 'DX', booked_by: 'person' }, 1],
    ['that is the first of two proves nothing', { reference: 'DX', state: 'waiting', reason: 'AMBIGUOUS' }, 1],
  ])('%s', (_, changes, pairs) => {
    const payment = known('15:00:30', changes);
    expect(paired([line], [payment]).size).toBe(pairs);
    expect(found(slip, [payment])).toBe(pairs === 1 ? payment : null);
  });

  it('that a person chose goes first if the other witness names it', () => {
    const [other, chosen] = [known('15:00:00'), known('15:00:30', { reference: 'DA', booked_by: 'person' })];
    expect(paired([line], [other, chosen]).get(line)).toBe(chosen);
    expect(found(slip, [other, chosen])).toBe(chosen);
  });
});

describe('a slip after lines', () => {
  const slip = reported('15:05:30', { precision: 'second' });

  it('is of the nearest line', () => {
    const lines = [known('15:01:00'), known('15:05:00'), known('15:09:00')];
    expect(found(slip, lines)).toBe(lines[1]);
    expect(found(slip, [known('14:55:00')])).toBeNull();
  });

  it('that names a deposit is of that deposit’s line, and never of another deposit’s', () => {
    const [near, far] = [known('15:05:00', { reference: 'DA' }), known('15:09:00', { reference: 'DB' })];
    expect(found({ ...slip, references: ['DB'] }, [near, far])).toBe(far);
    expect(found({ ...slip, references: ['DC'] }, [near, far])).toBeNull();
  });
});

describe('a payment of a deposit that the other witness alone booked', () => {
  const booked: Match = { state: 'booked', deposit: { id: 7n } as Candidate, by: 'reference' };
  const line = reported('15:12:00');

  it('waits, unless amount, deposit or day is another one', () => {
    const of = (changes: Partial<LonePayment>, time = '15:00:05') => [known(time, { deposit_id: 7n, ...changes })];
    expect(orWaits(line, booked, of({}))).toEqual({ state: 'waiting', reason: 'DOUBLE', deposit: { id: 7n } });
    const yesterday = new Date(line.paidAt.getTime() - 24 * 3_600_000);
    expect(orWaits(line, booked, of({ paid_at: yesterday }))).toMatchObject({ reason: 'DOUBLE' });
    for (const other of [
      { deposit_id: 8n },
      { amount: 100_015n },
      { deposit_id: null, state: 'ignored' as const },
      { deposit_id: null, state: 'waiting' as const },
      { paid_at: new Date(yesterday.getTime() - 1) },
    ])
      expect(orWaits(line, booked, of(other))).toBe(booked);
    expect(orWaits(line, booked, [])).toBe(booked);
  });

  it.each<[string, Partial<LonePayment>]>([
    ['waits for the deposit', { state: 'waiting', deposit_id: 7n }],
    ['a person credited to another deposit', { booked_by: 'person', deposit_id: 8n, decision: 'credit' }],
    ['a person credited, and kept later', { booked_by: 'person', deposit_id: 8n, decision: 'keep' }],
    ['a person returned', { state: 'returned', decision: 'return' }],
    ['a person ignored', { state: 'ignored', decision: 'ignore' }],
  ])('waits, too, if the other witness %s', (_, changes) => {
    expect(orWaits(line, booked, [known('15:02:05', changes)])).toMatchObject({ state: 'waiting', reason: 'DOUBLE' });
    expect(orWaits(line, booked, [known('15:02:05', { ...changes, amount: 100_015n })])).toBe(booked);
  });

  it('waits after an ignored one only for ten minutes if it names its deposit', () => {
    const ignored = (time: string) => [known(time, { state: 'ignored', decision: 'ignore' })];
    const byAmount: Match = { ...booked, by: 'amount' };
    expect(orWaits(line, booked, ignored('15:02:00'))).toMatchObject({ state: 'waiting', reason: 'DOUBLE' });
    expect(orWaits(line, booked, ignored('15:01:59'))).toBe(booked);
    expect(orWaits(line, byAmount, ignored('15:01:59'))).toMatchObject({ state: 'waiting', reason: 'DOUBLE' });
  });
});

describe('a line that no deposit has', () => {
  const unmatched: Match = { state: 'waiting', reason: 'UNMATCHED', deposit: null };
  const line = reported('15:10:00');

  it.each<[string, string, Partial<LonePayment>, string]>([
    ['may be the slip that a person credited', '15:00:00', { booked_by: 'person' }, 'DOUBLE'],
    ['is no payment of eleven minutes before', '14:59:00', { booked_by: 'person' }, 'UNMATCHED'],
    ['is no payment that its name booked', '15:00:00', { booked_by: 'reference', reference: 'DA' }, 'UNMATCHED'],
  ])('%s', (_, time, changes, reason) => {
    expect(orMayBeDecided(line, unmatched, [known(time, changes)])).toMatchObject({ state: 'waiting', reason });
  });
});

describe('what both witnesses know', () => {
  it('is the time in seconds, and the deposits that either names', () => {
    const line = reported('15:00:00', { references: ['DA'] });
    const slip = known('15:00:30', { reference: 'DB' });
    expect(withKnown(line, slip)).toMatchObject({
      paidAt: at('15:00:30'),
      precision: 'second',
      references: ['DA', 'DB'],
    });
    expect(withKnown(line, { ...slip, reason: 'AMBIGUOUS' })).toMatchObject({ references: ['DA'] });
    expect(withKnown(line, undefined)).toBe(line);
  });
});

describe('statements', () => {
  it('should show what was paid ten minutes before their last line', () => {
    expect(isCovered(at('15:00:00'), at('15:10:00'))).toBe(true);
    expect(isCovered(at('15:00:01'), at('15:10:00'))).toBe(false);
    expect(isCovered(at('15:00:00'), null)).toBe(false);
  });
});
