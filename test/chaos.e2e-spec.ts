import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { FAILPOINTS } from '../src/core/failpoints.js';
import { assertDefectsFit } from './chaos/defects.js';
import { FAULTS } from './chaos/fault-plan.js';
import { planSchedule } from './chaos/schedule.js';

/** Short enough for every run of the tests; `npm run chaos` goes on for as long as one likes. */
const SEEDS = [140, 2426];
const MINUTES = 0.75;
const PATIENCE_MS = 400_000;

const checkout = fileURLToPath(new URL('..', import.meta.url));
let run: ChildProcess | undefined;

afterAll(() => {
  run?.kill('SIGTERM');
});

describe('the service under faults', () => {
  it('meets every kind of fault, every failpoint, wrong clocks and units for the operator in these runs', () => {
    const plans = SEEDS.map((seed) => planSchedule(seed, MINUTES * 60));
    const faults = plans.flatMap((plan) => plan.faults);
    expect(FAULTS.filter((kind) => !faults.some((fault) => fault.kind === kind))).toEqual([]);
    expect(FAILPOINTS.filter((name) => !faults.some(({ death }) => death?.failpoint === name))).toEqual([]);
    expect(plans.some(({ clocks }) => clocks.api !== 0)).toBe(true);
    expect(plans.some(({ clocks }) => clocks.worker2 !== 0)).toBe(true);
    expect(plans.some(({ reviewAfterMs }) => reviewAfterMs !== null)).toBe(true);
  });

  it('could still be broken in every way that the suite must notice', () => {
    expect(() => assertDefectsFit(checkout)).not.toThrow();
  });

  it.each(SEEDS)(
    'keeps the books of clients, PostgreSQL, supplier and receivers in agreement: seed %i',
    async (seed) => {
      const args = ['--import', './scripts/typescript.mjs', 'test/chaos/run.ts'];
      const child = spawn(process.execPath, [...args, '--seed', String(seed), '--minutes', String(MINUTES)], {
        cwd: checkout,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      run = child;
      const closed = once(child, 'close');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = (await closed) as [number | null];
      // On a failure this shows the whole run with its evidence.
      expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
      expect(stdout).toMatch(`seed ${seed}, ${MINUTES} minutes: the books agree`);
    },
    PATIENCE_MS,
  );
});
