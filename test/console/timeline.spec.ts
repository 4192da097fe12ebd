import { describe, expect, it } from '@jest/globals';
import { arrange, type TimelineEntry } from '../../console/src/kit/timeline-model.js';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 22) + second * 1000).toISOString();

const HISTORY: TimelineEntry[] = [
  { at: at(0), kind: 'order.created' },
  { at: at(1), kind: 'supplier.send', unit: '1.1', outcome: 'succeeded' },
  { at: at(2), kind: 'supplier.send', unit: '1.2', outcome: 'unknown' },
  { at: at(200), kind: 'supplier.inquiry', unit: '1.2', outcome: 'failed' },
  { at: at(201), kind: 'order.failed', outcome: 'failed' },
];

/** The history in short: the kind of each line, or the length of an idle time. */
const shown = (view: { isGrouped: boolean; isBadOnly: boolean }): [string | null, (string | number)[]][] =>
  arrange(HISTORY, view).map(({ unit, lines }) => [
    unit,
    lines.map((line) => ('entry' in line ? line.entry.kind : line.idleMs)),
  ]);

describe('The timeline', () => {
  it('is one list, in which idle times of more than a minute are folded', () => {
    expect(shown({ isGrouped: false, isBadOnly: false })).toEqual([
      [null, ['order.created', 'supplier.send', 'supplier.send', 198_000, 'supplier.inquiry', 'order.failed']],
    ]);
  });

  it('groups by unit, with the idle times of each', () => {
    expect(shown({ isGrouped: true, isBadOnly: false })).toEqual([
      [null, ['order.created', 201_000, 'order.failed']],
      ['1.1', ['supplier.send']],
      ['1.2', ['supplier.send', 198_000, 'supplier.inquiry']],
    ]);
  });

  it('can show failures only', () => {
    expect(shown({ isGrouped: false, isBadOnly: true })).toEqual([
      [null, ['supplier.send', 198_000, 'supplier.inquiry', 'order.failed']],
    ]);
    expect(arrange(HISTORY.slice(0, 2), { isGrouped: false, isBadOnly: true })).toEqual([]);
  });

  it('keeps the position of each entry in the whole history', () => {
    const [group] = arrange(HISTORY, { isGrouped: false, isBadOnly: true });
    expect(group?.lines.map(({ index }) => index)).toEqual([2, 3, 3, 4]);
  });
});
