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

/** Starts with long suites. A long suite at the end would keep only one processor busy. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
