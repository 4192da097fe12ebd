import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCaught } from './caught.js';
import { runCampaign, type CampaignReport } from './campaign.js';
import { runCiJob } from './ci-job.js';
import { assertDefectsFit, DEFECT_NAMES, type DefectName } from './defects.js';
import { CAUGHT_NAMES, type CaughtDefectName } from './deposit-defects.js';
import { REGRESSION_SEEDS } from './regressions.js';
import { totalsOf, withSum, type RunTotals } from './totals.js';
import { describe } from './violations.js';

// See docs/contributing.md. Exits with 1 if a rule of the books is violated, with 2 if the run itself failed.

const USAGE =
  'npm run chaos -- [--seed N] [--runs N] [--minutes M] [--steps] [--defect NAME,...] | --regressions | --check-defects | --deposits [--defect NAME,...] | --ci';
const checkout = fileURLToPath(new URL('../..', import.meta.url));

export interface Run {
  seed: number;
  minutes: number;
  defects: readonly DefectName[];
  isStepwise?: boolean;
}

/** The totals of the runs so far. */
const totals: RunTotals[] = [];

// The children end with this process: see ChaosSystem.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

try {
  const options = readOptions();
  if (options.ci) process.exit((await runCiJob(checkout, carryOut)) ? 0 : 1);
  assertDefectsFit(checkout);
  console.log(`all ${DEFECT_NAMES.length} planted defects fit the build`);
  if (options['check-defects']) process.exit(0);
  if (options.deposits) process.exit((await runCaught(readCaught(options))) > 0 ? 1 : 0);
  let violated = 0;
  for (const run of readRuns(options)) violated += (await carryOut(run)) ? 0 : 1;
  if (totals.length > 1) console.table(withSum(totals));
  process.exit(violated > 0 ? 1 : 0);
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exit(2);
}

/** @returns whether the books agree. */
async function carryOut({ seed, minutes, defects, isStepwise = false }: Run): Promise<boolean> {
  console.log(
    `seed ${seed}, ${minutes} minutes of faults${defects.length === 0 ? '' : `, with the defects ${defects.join(', ')}`}`,
  );
  const startMs = performance.now();
  const log = (line: string): void =>
    console.log(`[${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)}] ${line}`);
  const report = await runCampaign({ seed, seconds: minutes * 60, isStepwise, defects, log });
  print(report);
  totals.push(totalsOf(seed, minutes, report));
  const { length } = report.violations.found;
  console.log(
    `seed ${seed}, ${minutes} minutes: ${length === 0 ? 'the books agree' : `violated; logs in ${report.logs}`}`,
  );
  return length === 0;
}

type Options = ReturnType<typeof readOptions>;

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      minutes: { type: 'string' },
      defect: { type: 'string' },
      steps: { type: 'boolean', default: false },
      regressions: { type: 'boolean', default: false },
      deposits: { type: 'boolean', default: false },
      'check-defects': { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
    },
  });
  return values;
}

function readRuns(values: Options): Run[] {
  if (values.regressions) {
    console.log(`${REGRESSION_SEEDS.length} seeds that found something once`);
    return REGRESSION_SEEDS.map(({ seed, minutes }) => ({ seed, minutes, defects: [] }));
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const minutes = Number(values.minutes ?? 1);
  const defects = (values.defect?.split(',') ?? []).map(toDefect);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed is a whole number. ${USAGE}`);
  if (!(minutes > 0 && minutes <= 1440)) throw new Error(`--minutes is a number up to 1440. ${USAGE}`);
  const runs = Number(values.runs ?? 1);
  if (!Number.isSafeInteger(runs) || runs < 1) throw new Error(`--runs is a whole number. ${USAGE}`);
  return Array.from({ length: runs }, (_, index) => ({
    seed: seed + index,
    minutes,
    defects,
    isStepwise: values.steps,
  }));
}

/** The planted defects of deposits to run: all, unless some are named. */
function readCaught({ defect }: Options): CaughtDefectName[] {
  const wanted = defect?.split(',');
  const names = CAUGHT_NAMES.filter((name) => !wanted || wanted.includes(name));
  if (wanted && names.length < wanted.length)
    throw new Error(`--defect is one or more of ${CAUGHT_NAMES.join(', ')}. ${USAGE}`);
  return names;
}

function toDefect(name: string): DefectName {
  const defect = DEFECT_NAMES.find((each) => each === name);
  if (!defect) throw new Error(`--defect is one or more of ${DEFECT_NAMES.join(', ')}. ${USAGE}`);
  return defect;
}

function print({ orders, longestSilenceMs, faults, failpoints, violations, margin }: CampaignReport): void {
  for (const violation of violations.found) console.log(`\n${describe(violation)}`);
  console.log('');
  for (const [kind, count] of violations.summary) console.log(`${count} x ${kind}`);
  const list = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`)
      .join(', ') || 'none';
  console.log(`orders: ${list(orders)}`);
  console.log(`longest time without an acknowledgement: ${Math.round(longestSilenceMs)} ms`);
  console.log(`faults: ${list(faults)}`);
  // Their names contain underscores.
  console.log(
    `failpoints hit: ${
      Object.entries(failpoints)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ') || 'none'
    }`,
  );
  console.log('report margin, and what vendors took:');
  console.table(margin);
}
