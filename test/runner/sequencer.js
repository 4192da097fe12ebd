import TestSequencer from '@jest/test-sequencer';

/** Suites that take long for the size of their files, by which jest goes where it has run none before. */
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

/** Begins with long suites: one that began last would keep a single processor busy in the end. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
