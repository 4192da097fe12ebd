import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { SupplierPace } from './supplier-pace.js';
import type { ClaimedUnit } from './units.repository.js';

const USUAL = 64;
const SOLD: SupplierOutcome = { kind: 'succeeded', supplierReference: 'T1' };
const TOO_OFTEN: SupplierOutcome = { kind: 'not_accepted', detail: 'too many requests', fault: 'rate' };
const REFUSED_KEY: SupplierOutcome = { kind: 'not_accepted', detail: 'wrong key', fault: 'credentials' };

let pace: SupplierPace;

const meet = (namedAtRandom: boolean, maxInFlight: number | null = null): void =>
  pace.update({
    supplier_id: 1,
    has_random_references: namedAtRandom,
    max_in_flight: maxInFlight,
  } as ClaimedUnit);
const note = (outcome: SupplierOutcome): void => pace.note(1, outcome, USUAL);
const slots = (): number => pace.slots(1, USUAL);

beforeEach(() => {
  pace = new SupplierPace();
});

describe('the pace at which a supplier is called', () => {
  it('is one call at first, at an unknown supplier', () => {
    expect(slots()).toBe(1);
  });

  it('is halved by each answer about too many calls, down to one', () => {
    meet(false);
    const seen = Array.from({ length: 8 }, () => {
      note(TOO_OFTEN);
      return slots();
    });
    expect(seen).toEqual([32, 16, 8, 4, 2, 1, 1, 1]);
  });

  it('rises by one with each purchase, up to the usual limit', () => {
    meet(false);
    note(TOO_OFTEN);
    note(SOLD);
    expect(slots()).toBe(33);
    for (let sold = 0; sold < 100; sold++) note(SOLD);
    expect(slots()).toBe(USUAL);
  });

  it.each([3, 2 * USUAL])('is the operator’s limit, below or above the usual one: %i', (allowed) => {
    meet(false, allowed);
    expect(slots()).toBe(allowed);
    note(TOO_OFTEN);
    expect(slots()).toBe(Math.floor(allowed / 2));
    for (let sold = 0; sold < 3 * USUAL; sold++) note(SOLD);
    expect(slots()).toBe(allowed);
  });

  it('is one call at a supplier that bans, until a good answer, and again after it refuses our key', () => {
    meet(true);
    expect(slots()).toBe(1);
    note(SOLD);
    expect(slots()).toBe(USUAL);
    note(REFUSED_KEY);
    expect(slots()).toBe(1);
  });
});
