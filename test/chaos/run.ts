import { parseArgs } from 'node:util';
import { runCampaign, type CampaignReport } from './campaign.js';
import { DEFECT_NAMES, type DefectName } from './defects.js';
import { describe } from './violations.js';

// Runs one seed: see docs/contributing.md. Exits with 1 when a book is violated, with 2 when the run itself failed.

const USAGE = 'npm run chaos -- [--seed N] [--minutes M] [--defect NAME]';

// The children end with this process: see ChaosSystem.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

try {
  const { seed, seconds, defect } = readOptions();
  console.log(`seed ${seed}, ${seconds} s of faults${defect === null ? '' : `, with the defect ${defect}`}`);
  const startMs = performance.now();
  const log = (line: string): void =>
    console.log(`[${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)}] ${line}`);
  const report = await runCampaign({ seed, seconds, defect, log });
  print(report, seed);
  process.exit(report.violations.found.length > 0 ? 1 : 0);
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exit(2);
}

function readOptions(): { seed: number; seconds: number; defect: DefectName | null } {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, minutes: { type: 'string' }, defect: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const seconds = Math.round(Number(values.minutes ?? 1) * 60);
  const defect = DEFECT_NAMES.find((name) => name === values.defect) ?? null;
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed is a whole number. ${USAGE}`);
  if (!(seconds > 0 && seconds <= 86_400)) throw new Error(`--minutes is a number up to 1440. ${USAGE}`);
  if (values.defect !== undefined && defect === null) {
    throw new Error(`--defect is one of ${DEFECT_NAMES.join(', ')}. ${USAGE}`);
  }
  return { seed, seconds, defect };
}

function print({ orders, longestSilenceMs, faults, violations, logs }: CampaignReport, seed: number): void {
  for (const violation of violations.found) console.log(`\n${describe(violation)}`);
  console.log('');
  for (const [kind, count] of violations.summary) console.log(`${count} x ${kind}`);
  const list = (counts: Record<string, number>): string =>
    Object.entries(counts).map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`).join(', '); // prettier-ignore
  console.log(`orders: ${list(orders)}`);
  console.log(`longest time without an acknowledgement: ${Math.round(longestSilenceMs)} ms`);
  console.log(`faults: ${list(faults)}`);
  const verdict = violations.found.length === 0 ? 'the books agree' : `violated; logs in ${logs}`;
  console.log(`seed ${seed}: ${verdict}`);
}
