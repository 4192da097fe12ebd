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
  it('lets nothing leave a terminal state', () => {
    expect(ORDER_STATUSES.filter(isTerminalOrder)).toEqual(['completed', 'failed']);
    expect(UNIT_STATES.filter((state) => UNIT_TRANSITIONS[state].length === 0)).toEqual(['succeeded', 'failed']);
  });

  it('reaches every state but the first from some other', () => {
    for (const state of ORDER_STATUSES.slice(1)) expect(sourcesOf(ORDER_TRANSITIONS, state)).not.toEqual([]);
    for (const state of UNIT_STATES) expect(sourcesOf(UNIT_TRANSITIONS, state)).not.toEqual([]);
  });

  it('lets every open unit begin anew or end', () => {
    expect(sourcesOf(UNIT_TRANSITIONS, 'queued')).toEqual(['sending', 'unknown', 'review']);
    expect(sourcesOf(UNIT_TRANSITIONS, 'succeeded', 'unknown')).toEqual(['queued', 'sending']);
  });

  it('takes no unit for bought that was not sent, and lets it fail', () => {
    expect(UNIT_TRANSITIONS.queued).toEqual(['sending', 'succeeded', 'failed', 'unknown', 'review']);
  });
});
