import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { SupplierBreaker } from '../../src/fulfilment/supplier-breaker.js';

let breaker: SupplierBreaker;
let resumed: number[];
let pauses: [supplierId: number, pausedMs: number][];

beforeEach(() => {
  resumed = [];
  pauses = [];
  breaker = new SupplierBreaker({
    onResume: (id) => resumed.push(id),
    onChange: ({ id }, pausedMs) => pauses.push([id, pausedMs]),
  });
});

afterEach(() => breaker.close());

const miss = (times: number, supplier = 1): void => {
  for (let n = 0; n < times; n++) breaker.note({ id: supplier, code: 'S' }, 'not_accepted');
};

describe('a supplier’s circuit breaker', () => {
  it('lets a supplier have all its slots as long as it accepts something now and then', () => {
    for (const outcome of ['succeeded', 'failed', 'processing', 'never_seen'] as const) {
      miss(19);
      breaker.note({ id: 1, code: 'S' }, outcome);
      expect(breaker.slots(1, 64)).toBe(64);
    }
    expect(pauses).toEqual([]);
  });

  it('takes unknown outcomes for the affair of their units', () => {
    for (let n = 0; n < 100; n++) breaker.note({ id: 1, code: 'S' }, 'unknown');
    expect(breaker.slots(1, 64)).toBe(64);
  });

  it('gives it a pause after twenty calls in a row that were not accepted, and no other supplier', () => {
    miss(20);
    expect(breaker.slots(1, 64)).toBe(0);
    expect(breaker.slots(2, 64)).toBe(64);
    expect(pauses).toEqual([[1, 1_000]]);
  });

  it('takes what was in flight when the pause began for no news', () => {
    miss(60);
    expect(pauses).toEqual([[1, 1_000]]);
  });

  it('tries a few calls after the pause, and pauses for longer when they are not accepted either', async () => {
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

  it('gives all slots back with the first call that is answered', () => {
    miss(20);
    breaker.note({ id: 1, code: 'S' }, 'succeeded');
    expect(breaker.slots(1, 64)).toBe(64);
    expect(pauses.at(-1)).toEqual([1, 0]);
    expect(resumed).toEqual([1]);
  });
});
