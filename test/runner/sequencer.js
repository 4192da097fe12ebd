import TestSequencer from '@jest/test-sequencer';

/** Suites that take longer than the size of their files suggests. Jest sorts suites by size if it has no times of an earlier run. */
const LONG = new RegExp(
  `/test/(${[
    'cli/orders',
    'console/browser/.*',
    'contract/(uploads|silent-database|rate-limit-shared|players)',
    'fulfilment/(clock-set-back|deaf-worker)',
    'ops/(metrics|event-partitions|order-partitions|archive|migrations)',
    'routing/(seagm|wepay|digiflazz)-units',
    'webhooks/(changes|dispatching)',
  ].join('|')})\\.(e2e-)?spec\\.ts$`,
);

/**
 * What each suite of this run is expected to take, in seconds, by the path of its file. Jest knows the times of earlier
 * runs; else a suite counts by its kind.
 */
export const expectedSeconds = new Map();

/** Starts with long suites. A long suite at the end would keep only one processor busy. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    for (const { path, duration } of tests)
      expectedSeconds.set(path, duration === undefined ? secondsOfItsKind(path) : duration / 1000);
    const isLong = ({ path }) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}

function secondsOfItsKind(path) {
  if (LONG.test(path)) return 30;
  return path.endsWith('.e2e-spec.ts') ? 3 : 0.3;
}
