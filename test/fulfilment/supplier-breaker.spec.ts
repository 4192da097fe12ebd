import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { SupplierBreaker } from '../../src/fulfilment/supplier-breaker.js';

let breaker: SupplierBreaker;
let resumed: number[];
let pauses: [supplierId: number, pausedMs: number][];
let forgotten: string[];

beforeEach(() => {
  resumed = [];
  pauses = [];
  forgotten = [];
  breaker = new SupplierBreaker({
    onResume: (id) => resumed.push(id),
    onChange: ({ id }, pausedMs) => pauses.push([id, pausedMs]),
    onForget: ({ code }) => forgotten.push(code),
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  breaker.close();
});

const miss = (times: number, supplier = 1): void => {
  for (let n = 0; n < times; n++) breaker.note({ id: supplier, code: 'S' }, 'not_accepted');
};

describe('a supplier’s circuit breaker', () => {
  it('allows a supplier all its slots if it accepts at least one call in twenty', () => {
    for (const outcome of ['succeeded', 'failed', 'processing', 'never_seen'] as const) {
      miss(19);
      breaker.note({ id: 1, code: 'S' }, outcome);
      expect(breaker.slots(1, 64)).toBe(64);
    }
    expect(pauses).toEqual([]);
  });

  it('does not count unknown outcomes', () => {
    for (let n = 0; n < 100; n++) breaker.note({ id: 1, code: 'S' }, 'unknown');
    expect(breaker.slots(1, 64)).toBe(64);
  });

  it('pauses only this supplier, after twenty calls in a row that it did not accept', () => {
    miss(20);
    expect(breaker.slots(1, 64)).toBe(0);
    expect(breaker.slots(2, 64)).toBe(64);
    expect(pauses).toEqual([[1, 1_000]]);
  });

  it('ignores outcomes of calls that were in flight when the pause began', () => {
    miss(60);
    expect(pauses).toEqual([[1, 1_000]]);
  });

  it('allows a few calls after the pause, and pauses for longer if the supplier does not accept them', async () => {
    miss(20);
    await eventually(
      () => resumed.length,
      (times) => times > 0,
    );
    expect(resumed).toEqual([1]);
    expect(breaker.slots(1, 64)).toBe(8);
    miss(1);
    expect(breaker.slots(1, 64)).toBe(0);
    expect(pauses.map(([, pausedMs]) => pausedMs)).toEqual([1_000, 2_000]);
  });

  it('allows all slots again after the first accepted call', () => {
    miss(20);
    breaker.note({ id: 1, code: 'S' }, 'succeeded');
    expect(breaker.slots(1, 64)).toBe(64);
    expect(pauses.at(-1)).toEqual([1, 0]);
    expect(resumed).toEqual([1]);
  });

  it('forgets a supplier that gets no calls any more, such as because an operator has paused it', () => {
    let nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    miss(20);
    expect(breaker.tripped()).toEqual(new Map([[1, 'open']]));
    // A unit of which the supplier says nothing is queried each minute.
    for (; nowMs < 600_000; nowMs += 60_000) {
      breaker.note({ id: 1, code: 'S' }, 'unknown');
      expect(breaker.tripped().size).toBe(1);
    }
    expect(forgotten).toEqual([]);
    nowMs += 1_200_000;
    expect(breaker.tripped()).toEqual(new Map());
    expect(forgotten).toEqual(['S']);
    expect(breaker.slots(1, 64)).toBe(64);
    miss(19);
    expect(breaker.slots(1, 64)).toBe(64);
    miss(1);
    expect(breaker.slots(1, 64)).toBe(0);
  });
});
