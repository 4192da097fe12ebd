import { describe, expect, it } from '@jest/globals';
import {
  assertBalances,
  assertNoneMissing,
  continueChain,
  identify,
  type IdentifiedLine,
  type StoredLine,
} from './chain.js';
import type { ReadLine } from './statement-reader.js';
import { StatementRefused } from './statement-refused.js';

/** Lines such as `24 10:00 +50 150`: day, time, amount and balance in satang. */
function lines(...texts: string[]): ReadLine[] {
  return texts.map((text, index) => {
    const [day = '', time = '', amount = '', balance = ''] = text.split(' ');
    const at = new Date(`2026-11-${day}T${time}:00+07:00`);
    const moment = { row: index + 2, bookedOn: `2026-11-${day}`, at, precision: 'minute' as const, timeText: time };
    return {
      ...moment,
      amount: BigInt(amount),
      balance: balance === '' ? null : BigInt(balance),
      texts: ['QR'],
      reference: '',
    };
  });
}

const file = (...texts: string[]): IdentifiedLine[] => [...identify(lines(...texts), false)];

const stored = (...texts: string[]): StoredLine[] =>
  file(...texts).map(({ bookedOn, at, amount, balance, identity }) => {
    return { booked_on: bookedOn, at, amount, balance_after: balance, identity };
  });

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StatementRefused) return error.code;
    throw error;
  }
  return 'taken';
}

const A = '24 10:00 +50 150';
const B = '24 11:00 -20 130';
const C = '25 09:00 +70 200';
const D = '25 10:00 +1 201';

describe('identities of lines', () => {
  it('stay in another file, and differ for equal lines of one day', () => {
    const [in1, out, in2] = ['24 10:00 +50 150', '24 10:00 -50 100', '24 10:00 +50 150'];
    const [one, , other] = file(in1 ?? '', out ?? '', in2 ?? '');
    expect(one?.identity).not.toBe(other?.identity);
    expect(file(in1 ?? '')[0]?.identity).toEqual(one?.identity);
  });

  it('differ for one amount at two times of a day', () => {
    const [one, , other] = file('24 10:00 +50 150', '24 10:30 -50 100', '24 11:00 +50 150');
    expect(one?.identity).not.toBe(other?.identity);
  });

  it('are the same if only one day is remembered, which needs days in order', () => {
    const identitiesOf = (read: ReadLine[]): string[] =>
      Array.from(
        identify(read, false, assertBalances({ lines: read, stated: { amounts: [], counts: [] } }).isByDay),
        ({ identity }) => identity,
      );
    const twice = ['24 10:00 +50 150', '24 10:00 -50 100', '24 10:00 +50 150'];
    for (const texts of [
      [...twice, '25 09:00 +70 220'],
      [...twice, '25 09:00 -50 100', '24 10:00 +50 150'],
    ])
      expect(identitiesOf(lines(...texts))).toEqual(file(...texts).map(({ identity }) => identity));
  });

  it('are the references where these are unique, which no two lines may share', () => {
    const [line] = lines(A);
    const named = (reference: string): ReadLine => ({ ...(line as ReadLine), reference });
    const identityOf = (each: ReadLine): unknown => [...identify([each], true)][0]?.identity;
    expect(identityOf(named('R1'))).toEqual(identityOf({ ...named('R1'), row: 9, amount: 1n }));
    expect(codeOf(() => [...identify([named('R1'), named('R1')], true)])).toBe('UNREADABLE');
    expect(() => [...identify([named('Somchai'), named('Somchai')], true)]).toThrow(
      /^line 2: its reference is in another line, too$/,
    );
  });
});

describe('balances', () => {
  const none = { amounts: [], counts: [] };

  it('must follow, to the satang', () => {
    expect(codeOf(() => assertBalances({ lines: lines(A, B, C), stated: none }))).toBe('taken');
    expect(codeOf(() => assertBalances({ lines: lines(A, '24 11:00 -20 131'), stated: none }))).toBe('BALANCE_BROKEN');
  });

  it('must agree with what the file states', () => {
    const read = lines(A, B, C);
    expect(
      codeOf(() => assertBalances({ lines: read, stated: { amounts: [120n, 20n, 200n, 100n], counts: [2, 1] } })),
    ).toBe('taken');
    expect(codeOf(() => assertBalances({ lines: read, stated: { amounts: [121n], counts: [] } }))).toBe(
      'BALANCE_BROKEN',
    );
    expect(codeOf(() => assertBalances({ lines: read, stated: { amounts: [], counts: [3] } }))).toBe('BALANCE_BROKEN');
    // A file of which only the beginning was written.
    expect(codeOf(() => assertBalances({ lines: [], stated: { amounts: [200n], counts: [2, 1] } }))).toBe(
      'BALANCE_BROKEN',
    );
    expect(codeOf(() => assertBalances({ lines: [], stated: { amounts: [200n, 0n], counts: [0, 0] } }))).toBe('taken');
  });
});

describe('a file after others', () => {
  const rest = (before: string[], known: string[], ...texts: string[]): number[] => {
    const parts = { before: stored(...before).at(-1) ?? null, lines: stored(...known) };
    return Array.from(continueChain(file(...texts), parts), ({ row }) => row);
  };

  it('begins the chain, continues it, overlaps it, or repeats it', () => {
    expect(rest([], [], A, B)).toEqual([2, 3]);
    expect(rest([A, B], [], C, D)).toEqual([2, 3]);
    expect(rest([], [A, B], A, B, C)).toEqual([4]);
    expect(rest([A, B], [C], C, D)).toEqual([3]);
    expect(rest([], [A, B, C], A, B, C)).toEqual([]);
    expect(rest([], [A, B, C, D], A, B, C)).toEqual([]);
    expect(rest([A, B], [])).toEqual([]);
  });

  it.each([
    ['GAP', [A], [], [C, D]],
    ['GAP', [A, B], [C], [D]],
    ['CHAIN_BROKEN', [], [A, B], ['24 10:00 +40 150', '24 11:00 -20 130']],
    ['LINE_MISSING', [], [A, B], ['24 10:00 +50 150', '24 11:00 -21 129']],
    ['LINE_MISSING', [], [A, B, C], [A, '25 09:00 +50 200']],
    ['CHAIN_BROKEN', [], [A, B], [A, '24 10:30 +5 155', '24 10:31 -5 150', B]],
    ['CHAIN_BROKEN', [], [C], [A, B, C]],
  ])('is refused as %s', (code, before, known, texts) =>
    expect(codeOf(() => rest(before, known, ...texts))).toBe(code),
  );

  it('may have other texts of a day that an operator confirmed, and no other money', () => {
    const others = (...texts: string[]): ReadLine[] => lines(...texts).map((line) => ({ ...line, texts: ['QR of X'] }));
    const named = (...texts: string[]): IdentifiedLine[] => [...identify(others(...texts), false)];
    const known = (day: string): StoredLine[] =>
      stored(A, B, C).map((line) => ({ ...line, may_have_other_texts: line.booked_on === day }));
    const rest = (day: string, ...texts: string[]): number =>
      [...continueChain(named(...texts), { before: null, lines: known(day) })].length;
    const refusal = (line: number, changedTextsOn: string): unknown =>
      expect.objectContaining({ changedTextsOn, message: expect.stringContaining(`line ${line}: its texts differ`) });
    expect(() => rest('2026-11-25', A, B, C, D)).toThrow(refusal(2, '2026-11-24'));
    expect(() => rest('2026-11-24', A, B, C, D)).toThrow(refusal(4, '2026-11-25'));
    const all = stored(A, B).map((line) => ({ ...line, may_have_other_texts: true }));
    const after = (...texts: string[]): unknown => [...continueChain(named(...texts), { before: null, lines: all })];
    expect(after(A, B, C)).toHaveLength(1);
    for (const other of ['24 11:01 -20 130', '24 11:00 -21 129', '25 11:00 -20 130'])
      expect(codeOf(() => after(A, other, C))).toBe('LINE_MISSING');
  });

  it('without balances must have the known lines of all days before its last', () => {
    const known = stored('24 10:00 +50', '25 09:00 +70');
    expect(codeOf(() => assertNoneMissing(file('24 10:00 +50', '25 08:00 +1'), known))).toBe('taken');
    expect(codeOf(() => assertNoneMissing(file('25 09:00 +70', '26 09:00 +1'), known))).toBe('taken');
    expect(codeOf(() => assertNoneMissing(file('24 10:00 +51', '25 09:00 +70'), known))).toBe('LINE_MISSING');
  });
});
