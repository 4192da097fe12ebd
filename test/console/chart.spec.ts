import { describe, expect, it } from '@jest/globals';
import {
  barsOf,
  HEIGHT,
  highestOf,
  labelledSteps,
  lineOf,
  scaleOf,
  sparkOf,
} from '../../console/src/kit/chart-model.js';

const series = (name: string, ...values: (number | null)[]) => ({ name, tone: 'good' as const, values });

describe('A chart', () => {
  it.each([
    [0, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [97, [0, 25, 50, 75, 100]],
    [0.031, [0, 0.01, 0.02, 0.03, 0.04]],
  ])('has few, round labels up to %d', (highest, marks) => {
    expect(scaleOf(highest)).toEqual(marks);
  });

  it('has only whole labels for whole numbers', () => {
    expect(scaleOf(1, true)).toEqual([0, 1]);
    expect(scaleOf(9, true)).toEqual([0, 3, 6, 9]);
  });

  it.each([1, 7, 33, 1e6 + 1, 0.000_7, 12_345.678])('has room for %d, and not much more', (highest) => {
    const top = scaleOf(highest).at(-1) ?? 0;
    expect(top).toBeGreaterThanOrEqual(highest);
    expect(top).toBeLessThan(highest * 2);
  });

  it('breaks a line at unknown values, and draws a short stroke for a single one', () => {
    expect(lineOf([0, 10, null, 5], 10)).toBe('M125 100L375 0M869 50h12');
    expect(lineOf([null, null], 10)).toBe('');
  });

  it('begins its small line where the axis begins, also without a value there', () => {
    expect(sparkOf([null, null, 10, null, 5], 10)).toBe('M0 100L250 100L500 0L750 0L1000 50');
    expect(sparkOf([], 10)).toBe('');
  });

  it('stacks bars', () => {
    const stack = [series('bought', 6, null), series('failed', 4, 2)];
    expect(highestOf(stack, true)).toBe(10);
    expect(highestOf(stack, false)).toBe(6);
    const [bought = [], failed = []] = barsOf(stack, 10);
    expect(bought.map(({ y, height }) => [y, height])).toEqual([[HEIGHT - 60, 60]]);
    expect(failed.map(({ y, height }) => [y, height])).toEqual([
      [0, 40],
      [HEIGHT - 20, 20],
    ]);
  });

  it('has only a few labels of time', () => {
    expect(labelledSteps(3)).toEqual([0, 1, 2]);
    expect(labelledSteps(60)).toEqual([0, 10, 20, 30, 40, 50]);
  });
});
