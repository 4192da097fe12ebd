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

  it('folds equal answers of one unit into the latest of them, whatever other units do meanwhile', () => {
    const asked = (second: number, outcome: string, unit = '1.1'): TimelineEntry => ({
      at: at(second),
      kind: 'supplier.inquiry',
      supplier: 'acme',
      unit,
      outcome,
    });
    const history: TimelineEntry[] = [
      { at: at(0), kind: 'supplier.send', supplier: 'acme', unit: '1.1', outcome: 'unknown' },
      asked(1, 'unknown'),
      asked(2, 'unknown', '1.2'),
      asked(40, 'unknown'),
      asked(80, 'unknown'),
      asked(90, 'processing'),
      { at: at(91), kind: 'order.note' },
      asked(92, 'processing'),
      asked(200, 'unknown'),
    ];
    const [group] = arrange(history, { isGrouped: false, isBadOnly: false });
    const lines = group?.lines.map((line) =>
      'entry' in line ? [line.index, line.entries.length, line.at, line.entry.at] : line.idleMs,
    );
    expect(lines).toEqual([
      [0, 1, at(0), at(0)],
      [1, 3, at(1), at(80)],
      [2, 1, at(2), at(2)],
      [5, 2, at(90), at(92)],
      [6, 1, at(91), at(91)],
      108 * 1000,
      [8, 1, at(200), at(200)],
    ]);
  });

  it('folds no other entries, nor answers of different suppliers', () => {
    const note = { at: at(0), kind: 'order.note' };
    const [one, other] = ['acme', 'beta'].map((supplier) => ({
      at: at(1),
      kind: 'supplier.inquiry',
      supplier,
      unit: '1.1',
      outcome: 'unknown',
    }));
    const [group] = arrange(
      [note, note, one, other].filter((each) => each !== undefined),
      {
        isGrouped: false,
        isBadOnly: false,
      },
    );
    expect(group?.lines).toHaveLength(4);
  });

  it('keeps the position of each entry in the whole history', () => {
    const [group] = arrange(HISTORY, { isGrouped: false, isBadOnly: true });
    expect(group?.lines.map(({ index }) => index)).toEqual([2, 3, 3, 4]);
  });
});
