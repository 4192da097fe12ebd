import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

// Tests pass on any machine, even a slow one: they wait for events. `bench` measures speed.

const root = fileURLToPath(new URL('..', import.meta.url));

/** Words of a line about time. */
const TIME = String.raw`(now\(\)|[a-z](Ms|Seconds|At)\b|\b(ms|seconds|gap|elapsed)\b|_(ms|s|seconds)\b|pttl)`;

const RULES: [what: string, pattern: RegExp][] = [
  ['an upper bound of a time', new RegExp(`${TIME}.*toBeLessThan|toBeLessThan.*${TIME}`)],
  ['an upper bound of a time', new RegExp(`expect\\(.*(${TIME}.*<|<.*${TIME}).*\\)\\.toBe\\(true\\)`)],
  ['a limit of its own', /AbortSignal\.timeout\(|jest\.setTimeout\(|\btimeout: \d|^ *\}, [\d_]{4,}\)|^ *\d+_000,$/],
  ['a pause', /from 'node:timers\/promises'|(?<!\.)\bsetTimeout\(|\b(pg_)?sleep\([\d.]+\)/],
];

/** Files in which such a line is allowed, with the reason. */
const EXCEPTIONS: Record<string, string[]> = {
  'all that is waited for, and its end when nothing comes': ['test/support/eventually.ts: a pause'],
  'the same of pages': ['test/console/browser/chromium-browser.ts: a limit of its own'],
  'no moment is later than now': ['test/support/expectations.ts: an upper bound of a time'],
  'what is left of a wait only gets less': [
    'test/contract/players.e2e-spec.ts: an upper bound of a time',
    'test/contract/rate-limit-buckets.e2e-spec.ts: an upper bound of a time',
    'test/supplier-callbacks/acting.e2e-spec.ts: an upper bound of a time',
  ],
  'a limit of a rate is held against the time that the requests took': [
    'test/contract/rate-limit.e2e-spec.ts: an upper bound of a time',
    'test/fulfilment/suppliers-apart.e2e-spec.ts: an upper bound of a time',
  ],
  'it is the setting that is compared, or what was written in one statement': [
    'test/contract/silent-database.e2e-spec.ts: an upper bound of a time',
    'test/fulfilment/not-accepted.e2e-spec.ts: an upper bound of a time',
    'test/nginx.e2e-spec.ts: an upper bound of a time',
    'test/suppliers/balances.e2e-spec.ts: an upper bound of a time',
    'test/webhooks/delivering.e2e-spec.ts: an upper bound of a time',
  ],
  'another party is slow: a supplier, an endpoint, an upstream, a job, a network': [
    'test/console/jobs.e2e-spec.ts: a pause',
    'test/fulfilment/calls-in-flight.e2e-spec.ts: a pause',
    'test/fulfilment/recovery.e2e-spec.ts: a pause',
    'test/fulfilment/requests.e2e-spec.ts: a pause',
    'test/ops/read-replica.e2e-spec.ts: a pause',
    'test/support/wire.ts: a pause',
    'test/webhooks/delivering.e2e-spec.ts: a pause',
    'test/webhooks/support.ts: a pause',
  ],
  'it is asked again after it, until it is so': [
    'test/first-start.e2e-spec.ts: a pause',
    'test/npm-start.e2e-spec.ts: a pause',
    'test/simulator.e2e-spec.ts: a pause',
  ],
  'an end that comes before another one, of the server’s own clock': ['test/support/uploads.ts: a pause'],
  'longer than a test may take': [
    'test/first-start.e2e-spec.ts: a limit of its own',
    'test/sdk/runtimes/shop.ts: a limit of its own',
  ],
  'it is a turn of the event loop, however long': ['test/webhooks/safe-http.e2e-spec.ts: a pause'],
  'on a slow machine it proves less, and passes': ['test/webhooks/dispatching.e2e-spec.ts: a pause'],
};

/** The lines of a file that may fail on a slow machine. */
const lapsesIn = (code: string): string[] => [
  ...new Set(
    code
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
      .flatMap((line) => RULES.filter(([, pattern]) => pattern.test(line)).map(([what]) => what)),
  ),
];

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => path.join(folder, file));

/** Without campaigns, which run for a given time, and without this file, which has wrong lines on purpose. */
const files = [
  ...filesIn('test', /\.ts$/).filter((file) => !/^test\/(chaos|ha|clocks\.spec)/.test(file)),
  ...['src', 'tools'].flatMap((folder) => filesIn(folder, /\.spec\.ts$/)),
];

describe('Tests', () => {
  it('do not depend on the machine’s speed, with listed exceptions', () => {
    const found = files.flatMap((file) =>
      lapsesIn(readFileSync(path.join(root, file), 'utf8')).map((what) => `${file}: ${what}`),
    );
    expect(found.sort()).toEqual(Object.values(EXCEPTIONS).flat().sort());
  });

  it('that depend on it are found', () => {
    expect(lapsesIn(`    expect(performance.now() - startedAt).toBeLessThan(2_000);`)).toHaveLength(1);
    expect(lapsesIn(`expect(admitted).toBeLessThanOrEqual(LIMIT * (seconds + 1));`)).toHaveLength(1);
    expect(lapsesIn(`expect(waitedMs < 5_000).toBe(true);`)).toHaveLength(1);
    expect(lapsesIn(`await new Promise((resolve) => setTimeout(resolve, 300));`)).toEqual(['a pause']);
    expect(lapsesIn(`await stack.sql('SELECT pg_sleep(1)');`)).toEqual(['a pause']);
    expect(lapsesIn(`jest.setTimeout(60_000);\n  }, 60_000);`)).toEqual(['a limit of its own']);
    expect(lapsesIn(`expect(rows).toBeLessThan(40);\n// expect(ms).toBeLessThan(5)`)).toEqual([]);
  });
});
