import { describe, expect, it } from '@jest/globals';
import { endOf, openBesides } from '../../console/src/pages/orders/order-end.js';

const units = (...states: string[]): { unit: string; state: string }[] =>
  states.map((state, index) => ({ unit: `1.${index + 1}`, state }));

describe('How the settlement of a unit ends its order', () => {
  it.each([
    [units('review'), 'succeeded', 'completed'],
    [units('review'), 'failed', 'failed'],
    [units('review', 'succeeded'), 'succeeded', 'completed'],
    [units('unknown', 'succeeded', 'failed'), 'succeeded', 'partially'],
    [units('unknown', 'succeeded'), 'failed', 'partially'],
    [units('unknown', 'failed'), 'failed', 'failed'],
    [units('review', 'review', 'succeeded'), 'succeeded', 'open'],
  ] as const)('%j, settled as %s: %s', (of, verdict, end) => {
    expect(endOf(of, '1.1', verdict)).toBe(end);
  });

  it('has the number of other units that keep the order open', () => {
    expect(openBesides(units('review', 'queued', 'failed', 'unknown'), '1.1')).toBe(2);
  });
});
