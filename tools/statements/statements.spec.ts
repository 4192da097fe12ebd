import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { assertBalances, continueChain, identify, type StoredLine } from '../../src/deposits/statements/chain.js';
import { readStatementFormat } from '../../src/deposits/statements/statement-format.js';
import { readStatement, type ReadLine } from '../../src/deposits/statements/statement-reader.js';
import { readTruth } from '../../test/deposits/truth.js';
import { type Answer, bahtOf, readAnswers, satangOf } from './answers.js';
import { run, UsageError } from './main.js';
import { DIALECTS, type Dialect, type Order } from './model.js';
import { planOf, type PlannedDeposit } from './plan.js';
import { statementsOf, type Written } from './write.js';

/** 23:50 in Bangkok, so that the payments are on two days. */
const CREATED_MS = Date.parse('2026-11-24T16:50:00Z');
const SKEW_MS = 30_000;
const HOLD_MS = 3_600_000;
const MINUTE_MS = 60_000;

const field = (id: string, value: string): string => id + String(value.length).padStart(2, '0') + value;

/** What a service with a hold of an hour would answer. */
function answersTo(deposits: readonly PlannedDeposit[], dialect: Dialect): string {
  const held = new Set<number>();
  const answers = deposits.map((deposit, index): Answer => {
    let amount = satangOf(deposit.amount);
    while (dialect !== 'bill' && (amount % 11 !== 3 || amount % 100 === 0 || held.has(amount))) amount++;
    held.add(amount);
    const reference = `D${String(index).padStart(11, '0')}`;
    const payee = field('00', 'A000000677010112') + field('01', '1'.repeat(15)) + field('02', reference);
    const expiresMs = CREATED_MS + index * 2_000 + deposit.expires_in * 1_000;
    return {
      ...deposit,
      deposit_number: `dep_${index}`,
      amount_to_pay: bahtOf(amount),
      qr_payload: field('00', '01') + (dialect === 'bill' ? field('30', payee) : ''),
      created_at: new Date(CREATED_MS + index * 2_000).toISOString(),
      expires_at: new Date(expiresMs).toISOString(),
      hold_until: new Date(expiresMs + HOLD_MS).toISOString(),
    };
  });
  return answers.map((answer) => JSON.stringify(answer)).join('\n');
}

const orderOf = (dialect: Dialect, seed = '1', payments = 2_000): Order => ({ seed, payments, dialect });
const write = (order: Order): Written =>
  statementsOf(order, readAnswers(answersTo(planOf(order).deposits, order.dialect)));

const count = <Item>(items: readonly Item[], of: (item: Item) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[of(item)] = (counts[of(item)] ?? 0) + 1;
  return counts;
};

/** Imports the files as the service does. @returns the lines, each once. */
function imported(written: Written, order: Order): ReadLine[] {
  return planOf(order).channels.flatMap(({ code, options }) => {
    const format = readStatementFormat({ ...options }, order.dialect === 'bill' ? 'reference' : 'amount');
    if (!format) throw new Error('the channel reads no statements');
    const stored: (StoredLine & { line: ReadLine })[] = [];
    for (const { content } of written.files.filter(({ channel }) => channel === code)) {
      const read = readStatement(content, format, new Date(CREATED_MS));
      assertBalances(read);
      const lines = [...identify(read.lines, format.isReferenceUnique)];
      const first = lines[0]?.bookedOn ?? '';
      const before = stored.filter(({ booked_on }) => booked_on < first).at(-1) ?? null;
      const rest = continueChain(lines, { before, lines: stored.filter(({ booked_on }) => booked_on >= first) });
      for (const { bookedOn: booked_on, balance: balance_after, ...line } of rest)
        stored.push({
          ...line,
          booked_on,
          balance_after,
          line: { ...line, bookedOn: booked_on, balance: balance_after },
        });
    }
    return stored.map(({ line }) => line);
  });
}

describe('the plan', () => {
  it('has 1,000 deposits an account, six of ten round, three of ten never paid', () => {
    const { channels, deposits, fates } = planOf(orderOf('plain', '1', 10_000));
    expect(channels).toHaveLength(Math.ceil(deposits.length / 1_000));
    expect(Object.values(count(deposits, ({ channel }) => channel)).slice(0, -1)).toEqual(
      channels.slice(1).map(() => 1_000),
    );
    const frequent = Object.values(count(deposits, ({ amount }) => amount)).filter((each) => each > 500);
    expect(frequent).toHaveLength(8);
    const round = frequent.reduce((sum, each) => sum + each, 0);
    expect(Math.round((round / deposits.length) * 10)).toBe(6);
    const unpaid = fates.filter((fate) => fate === 'unpaid').length;
    expect(Math.round((unpaid / deposits.length) * 1_000)).toBe(300);
  });

  it('cancels the deposits that are paid after it', () => {
    const { deposits, fates } = planOf(orderOf('plain'));
    expect(deposits.map(({ cancel }) => cancel)).toEqual(fates.map((fate) => fate === 'cancelled'));
  });
});

describe.each(DIALECTS)('statements of the dialect %s', (dialect) => {
  const order = orderOf(dialect);
  const written = write(order);

  it('are the same bytes for the same seed and answers, and others for another seed', () => {
    expect(write(order)).toEqual(written);
    expect(write(orderOf(dialect, '2')).truth).not.toBe(written.truth);
  });

  it('have payments in the published proportions', () => {
    const kinds = count(readTruth(write(orderOf(dialect, '1', 10_000)).truth), ({ kind }) => kind);
    expect(kinds).toEqual({
      exact: 9_450,
      late: 250,
      cancelled: 50,
      wrong_amount: 70,
      // 50 exact ones, and 50 that repeat them.
      twice: 100,
      [dialect === 'bill' ? 'mangled' : 'clock']: 80,
      stranger: 100,
      interest: expect.any(Number),
      own_transfer: expect.any(Number),
    });
  });

  it('are read by the reader, and continue each other', () => {
    const incoming = imported(written, order).filter(({ amount }) => amount > 0n);
    const name = (moment: string, baht: string): string => `${moment} ${baht}`;
    const read = incoming.map(({ at, amount }) => name(at.toISOString(), bahtOf(Number(amount))));
    expect(read.toSorted()).toEqual(
      readTruth(written.truth)
        .map(({ paid_at, amount }) => name(paid_at, amount))
        .toSorted(),
    );
  });

  it('differ in calendar, code page and order, and overlap', () => {
    const texts = written.files.map(({ content }) => content.toString());
    const isThaiCodePage = texts.map((text) => text.includes('\ufffd'));
    expect(isThaiCodePage).toContain(true);
    expect(isThaiCodePage).toContain(false);
    const years = { kbiz: ['-69', '-26'], plain: ['/2569', '/2026'], bill: ['2569-', '2026-'] }[dialect];
    for (const year of years) expect(texts.some((text) => text.includes(year))).toBe(true);
    const lines = imported(written, order).length;
    const rows = written.files.reduce((sum, { content }) => sum + content.toString().split('X').length, 0);
    expect(rows).toBeGreaterThan(lines + written.files.length);
  });

  it('have lines that are equal in all columns', () => {
    const rows = written.files.flatMap(({ content }) => {
      const lines = content
        .toString('latin1')
        .split('\r\n')
        .filter((line) => /:\d\d/.test(line));
      return lines.length - new Set(lines).size;
    });
    expect(Math.max(...rows)).toBeGreaterThan(0);
  });
});

describe('payments that nobody may book', () => {
  it('have a dealt amount before or after its time, or none that was dealt', () => {
    const order = orderOf('plain', '1', 10_000);
    const dealt = new Map(
      [...readAnswers(answersTo(planOf(order).deposits, 'plain')).values()].map((each) => [each.amount, each]),
    );
    const strangers = readTruth(write(order).truth).filter(
      ({ kind }) => kind === 'stranger' || kind === 'wrong_amount',
    );
    const hits = strangers.flatMap(({ amount, paid_at }) => {
      const deposit = dealt.get(satangOf(amount));
      return deposit ? [{ deposit, at: Date.parse(paid_at) }] : [];
    });
    expect(hits.length).toBeGreaterThanOrEqual(2);
    const sides = hits.map(({ deposit, at }) => {
      const isBefore = at + MINUTE_MS <= deposit.createdMs - SKEW_MS;
      return isBefore ? 'before' : at > deposit.heldUntilMs ? 'after' : 'within';
    });
    expect(sides).not.toContain('within');
  });
});

describe('the command', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'statements-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('plans, and writes statements of the deposits that were made', () => {
    const given = ['--seed', 'a', '--payments', '100', '--dialect', 'bill', '--dir', directory];
    expect(run(['plan', ...given])).toEqual({ channels: 1, deposits: 141 });
    const planned = readFileSync(path.join(directory, 'deposits.jsonl'), 'utf8').trim().split('\n');
    const deposits = planned.map((line) => JSON.parse(line) as PlannedDeposit);
    writeFileSync(path.join(directory, 'answers.jsonl'), answersTo(deposits.slice(1), 'bill'));
    const made = run(['write', ...given]) as { files: { name: string; channel: string }[]; missing: number };
    expect(made).toMatchObject({ missing: 1 });
    const names = made.files.map(({ name }) => name);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['channels.json', 'truth.csv', ...names]));
    expect(names).toEqual(names.toSorted());
  });

  it.each([
    [['plan']],
    [['read', '--seed', '1', '--payments', '1', '--dialect', 'bill', '--dir', directory]],
    [['plan', '--seed', 'A B', '--payments', '1', '--dialect', 'bill', '--dir', directory]],
    [['plan', '--seed', '1', '--payments', '0', '--dialect', 'bill', '--dir', directory]],
    [['plan', '--seed', '1', '--payments', '1', '--dialect', 'scb', '--dir', directory]],
    [['plan', '--seed', '1', '--payments', '1', '--dialect', 'bill', '--file', directory]],
  ])('refuses %j', (args) => {
    expect(() => run(args)).toThrow(UsageError);
  });
});
