import assert from 'node:assert/strict';
import { FAILPOINTS } from '../../src/core/failpoints.js';
import { assertDefectsFit } from './defects.js';
import { FAULTS } from './fault-plan.js';
import type { Run } from './run.js';
import { planSchedule } from './schedule.js';
import { VENDOR_FAULTS } from './vendor-plan.js';
import { VENDOR_CODES } from './vendors/vendor-kind.js';

/** A few short runs for every change. Together they have every kind of fault. */
const RUNS: Run[] = [1244, 4762].map((seed) => ({ seed, minutes: 0.75, defects: [] }));
/** The timeout of a run. */
const LONG_TIMEOUT_MS = 1_500_000;

/**
 * The checks before a change is merged. The last line has their numbers, like that of `npm test`.
 * @returns whether all of them pass.
 */
export async function runCiJob(checkout: string, carryOut: (run: Run) => Promise<boolean>): Promise<boolean> {
  const tests: [name: string, test: () => unknown][] = [
    ['these seeds meet every fault and failpoint, wrong clocks and units for the operator', assertAllIsMet],
    ['the planted defects fit the build', () => assertDefectsFit(checkout)],
    ...RUNS.map((run): [string, () => unknown] => [
      `the books agree after seed ${run.seed}`,
      async () => assert(await carryOut(run), 'they do not agree: see above'),
    ]),
  ];
  let passed = 0;
  const count = (): void => console.log(`${passed} passed, ${tests.length - passed} failed`);
  for (const [name, test] of tests) {
    const patience = setTimeout(() => {
      console.log(`not ok: ${name}: no end after ${LONG_TIMEOUT_MS / 1000} s`);
      count();
      process.exit(1);
    }, LONG_TIMEOUT_MS);
    try {
      await test();
      passed++;
      console.log(`ok: ${name}`);
    } catch (error) {
      console.log(`not ok: ${name}:`, error);
    }
    clearTimeout(patience);
  }
  count();
  return passed === tests.length;
}

function assertAllIsMet(): void {
  const plans = RUNS.map(({ seed, minutes }) => planSchedule(seed, minutes * 60));
  const faults = plans.flatMap((plan) => plan.faults);
  const vendorFaults = plans.flatMap((plan) => plan.vendorFaults);
  assert.deepEqual(
    FAULTS.filter((kind) => !faults.some((fault) => fault.kind === kind)),
    [],
  );
  for (const vendor of VENDOR_CODES) {
    const met = vendorFaults.filter((fault) => fault.vendor === vendor).map(({ kind }) => kind);
    assert.deepEqual(
      VENDOR_FAULTS.filter((kind) => !met.includes(kind)),
      [],
      `not met at ${vendor}`,
    );
  }
  assert.deepEqual(
    FAILPOINTS.filter((name) => !faults.some(({ death }) => death?.failpoint === name)),
    [],
  );
  assert(
    plans.some(({ clocks }) => clocks.api !== 0),
    'the clock of the API is never wrong',
  );
  assert(
    plans.some(({ clocks }) => clocks.worker2 !== 0),
    'the clock of worker 2 is never wrong',
  );
  assert(
    plans.some(({ reviewAfterMs }) => reviewAfterMs !== null),
    'no unit comes to the operator',
  );
}
