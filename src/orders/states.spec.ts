import { describe, expect, it } from '@jest/globals';
import {
  isTerminalOrder,
  ORDER_STATUSES,
  ORDER_TRANSITIONS,
  sourcesOf,
  UNIT_STATES,
  UNIT_TRANSITIONS,
} from './states.js';

describe('states', () => {
  it('have no transition from a terminal state', () => {
    expect(ORDER_STATUSES.filter(isTerminalOrder)).toEqual(['completed', 'failed']);
    expect(UNIT_STATES.filter((state) => UNIT_TRANSITIONS[state].length === 0)).toEqual(['succeeded', 'failed']);
  });

  it('have a transition to every state except the first', () => {
    for (const state of ORDER_STATUSES.slice(1)) expect(sourcesOf(ORDER_TRANSITIONS, state)).not.toEqual([]);
    for (const state of UNIT_STATES) expect(sourcesOf(UNIT_TRANSITIONS, state)).not.toEqual([]);
  });

  it('let every open unit be queued again or end', () => {
    expect(sourcesOf(UNIT_TRANSITIONS, 'queued')).toEqual(['sending', 'unknown', 'review']);
    expect(sourcesOf(UNIT_TRANSITIONS, 'succeeded', 'unknown')).toEqual(['queued', 'sending']);
  });

  it('let a queued unit be sent or settled, or come into doubt', () => {
    expect(UNIT_TRANSITIONS.queued).toEqual(['sending', 'succeeded', 'failed', 'unknown', 'review']);
  });
});
