import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

const checkout = fileURLToPath(new URL('..', import.meta.url));
/** The tolerated random difference. One more statement for each order would be 3.7 %. */
const MARGIN = 1.03;

type Figures = Record<string, number>;

const committed = JSON.parse(readFileSync(`${checkout}/bench/results/cost.json`, 'utf8')) as { result: Figures };
let measured: Figures;

// This benchmark counts writes and measures no time, so its results are the same on every machine.
beforeAll(async () => {
  const command = ['--import', './scripts/typescript.mjs', 'bench/cost.ts', '--lone'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: checkout });
  measured = JSON.parse(stdout) as Figures;
});

describe('One order, from POST to the webhook', () => {
  it.each(['WAL bytes', 'index entries', 'rows written', 'statements'])(
    'costs no more %s than bench/results/cost.json says: npm run bench -- cost writes it anew',
    (name) => {
      const cost = measured[`lone: ${name}`] ?? NaN;
      expect(cost).toBeGreaterThan(0);
      expect(cost).toBeLessThanOrEqual((committed.result[`lone: ${name}`] ?? NaN) * MARGIN);
    },
  );
});
