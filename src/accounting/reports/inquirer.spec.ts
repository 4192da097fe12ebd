import { describe, expect, it } from '@jest/globals';
import type { NamedAttempt, ReadingInquiry, SupplierAdapter } from '../../suppliers/supplier-adapter.js';
import type { SupplierOutcome } from '../../suppliers/supplier-outcome.js';
import { Inquirer } from './inquirer.js';

const GAP_MS = 400;
/** A timer may end up to a millisecond early, and so may the measurement. */
const TIMER_TOLERANCE_MS = 2;

const notCalled = (): never => {
  throw new Error('a report calls only the inquiry');
};

/** A supplier whose inquiries have these outcomes, one after the other; the last one repeats. */
function supplierWith(...outcomes: SupplierOutcome[]) {
  const calls: { reference: string; atMs: number }[] = [];
  const query: ReadingInquiry['query'] = (_settings, { reference }) => {
    const outcome = outcomes[Math.min(calls.length, outcomes.length - 1)] as SupplierOutcome;
    calls.push({ reference, atMs: performance.now() });
    return Promise.resolve(outcome);
  };
  const adapter: SupplierAdapter = {
    deduplicates: true,
    readSettings: (stored) => stored,
    send: notCalled,
    balance: notCalled,
    inquiry: { mayBuy: false, firstMs: 0, minGapMs: GAP_MS, maxAgeMs: null, query },
  };
  const findBar = () => Promise.resolve(null);
  const onRefusal = () => Promise.resolve();
  const limits = { maxInFlight: 1, listed: new Map(), findBar, onRefusal };
  const inquirer = new Inquirer(adapter, { adapter, settings: null }, limits);
  return { calls, inquirer };
}

const attempts = (...references: string[]): NamedAttempt[] =>
  references.map((reference) => ({ reference, sku: 'sku', supplierReference: null }));

const ignore = (): void => undefined;

const unclear = (more: object = {}): SupplierOutcome => ({ kind: 'unknown', detail: 'HTTP 500', ...more });
const sold: SupplierOutcome = { kind: 'succeeded', supplierReference: null };

describe('an inquirer', () => {
  it('waits the documented gap between two calls about one reference', async () => {
    const { calls, inquirer } = supplierWith(unclear(), sold);
    expect(await inquirer.queryAll(attempts('one'), ignore)).toEqual(['succeeded']);
    const [first, second] = calls.map(({ atMs }) => atMs) as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(GAP_MS - TIMER_TOLERANCE_MS);
  });

  it('begins no call at all while the supplier requests a pause', async () => {
    const { calls, inquirer } = supplierWith(unclear({ retryAfterMs: 3 * GAP_MS }), sold);
    await Promise.all([
      inquirer.queryAll(attempts('one'), ignore),
      inquirer.queryAll(attempts('two', 'three'), ignore),
    ]);
    // The first two begin at once. The first answer requests a pause, and every later call must respect it.
    const [first, second, ...later] = calls;
    expect([first?.reference, second?.reference, later.length]).toEqual(['one', 'two', 2]);
    for (const { atMs } of later) expect(atMs - first!.atMs).toBeGreaterThanOrEqual(3 * GAP_MS - TIMER_TOLERANCE_MS);
  });

  it('calls no more if the supplier wants a long wait, and says for how long', async () => {
    const { calls, inquirer } = supplierWith(unclear({ retryAfterMs: 600_000 }));
    expect(await inquirer.queryAll(attempts('one', 'two'), ignore)).toEqual([null, null]);
    expect([calls.length, inquirer.unanswered]).toEqual([1, 2]);
    expect(inquirer.problem).toMatch(/^HTTP 500; .+ 600 s/);
  });

  it.each(['ban', 'credentials'] as const)('calls no more after the fault %s, and names it', async (fault) => {
    const { calls, inquirer } = supplierWith(sold, { kind: 'unknown', detail: `the ${fault}`, fault });
    expect(await inquirer.queryAll(attempts('one', 'two', 'three'), ignore)).toEqual(['succeeded', null, null]);
    expect(calls.map(({ reference }) => reference)).toEqual(['one', 'two']);
    expect([inquirer.unanswered, inquirer.problem]).toEqual([2, `the ${fault}`]);
  });
  it('has the result of the attempt’s own purchase, even if the statement has another one that was paid back', async () => {
    const listed = new Map([
      [
        'one',
        [
          { supplierReference: 'S-own', state: 'succeeded' as const },
          { supplierReference: 'S-surplus', state: 'failed' as const },
        ],
      ],
    ]);
    const limits = { maxInFlight: 1, listed, findBar: notCalled, onRefusal: notCalled };
    const bar = { known: false, detail: 'not connected', offersNone: false } as const;
    const inquirer = new Inquirer(undefined, bar, limits);
    const [named] = attempts('one');
    const queried = ['S-own', 'S-surplus', 'S-renamed', null].map((supplierReference) => ({
      ...(named as NamedAttempt),
      supplierReference,
    }));
    const results = await inquirer.queryAll([...queried, ...attempts('two')], ignore);
    expect([results, inquirer.unaskable]).toEqual([['succeeded', 'failed', 'failed', 'failed', null], 1]);
  });
});
