import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe } from '../chaos/violations.js';
import { localDataDir } from '../../src/core/project-root.js';
import { Campaign } from './campaign.js';
import { rowOf, tableOf, type Row } from './report.js';
import { scenariosOf } from './scenarios.js';

// Runs as root in its own namespaces (scripts/ha.mjs). Exits with 1 if the books disagree, with 2 if the run itself
// failed.

/** On the disk in memory that ends with the namespaces. */
const directory = '/mnt/topup';
const logs = path.join(localDataDir(), 'ha-logs');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const startMs = performance.now();
const log = (line: string): void =>
  console.log(`[${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)}] ${line}`);

const rows: Row[] = [];
let disagreed = false;
try {
  const scenarios = scenariosOf(process.argv.slice(2));
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const campaign = await Campaign.begin(directory, logs, log);
  for (const scenario of scenarios) {
    log(`${scenario.name}: ${scenario.what}`);
    const outcome = await campaign.play(scenario);
    const row = rowOf(outcome);
    rows.push(row);
    console.log(tableOf([row]));
    const { found } = outcome.violations;
    for (const each of found) console.log(describe(each));
    if (found.length === 0) continue;
    // What follows would find it again.
    disagreed = true;
    break;
  }
  finish(disagreed ? 1 : 0);
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  finish(2);
}

function finish(code: number): never {
  console.log(`\n${tableOf(rows)}\n\nlogs: ${logs}`);
  process.exit(code);
}
