import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { checkout, copyCheckout, dataDir, removeLeftOvers } from './checkout-copy.js';
import { plantDefects } from './defects.js';
import { CAUGHT_DEFECTS, type CaughtDefectName } from './deposit-defects.js';

/** The result of jest, as far as it is used. */
interface Report {
  testResults: { testResults: { status: string; fullName: string; failureMessages: string[] }[] }[];
}

/** Plants each defect in a copy of the checkout, and runs there the test that must fail. @returns how many were not seen. */
export async function runCaught(names: readonly CaughtDefectName[]): Promise<number> {
  await removeLeftOvers();
  const directory = join(dataDir, `chaos-${process.pid}`);
  const logs = join(dataDir, 'chaos-logs', 'deposits');
  for (const each of [directory, logs]) mkdirSync(each, { recursive: true });
  try {
    copyCheckout(directory);
    let unseen = 0;
    for (const name of names) {
      const failure = await failureOf(name, directory, join(logs, `${name}.log`));
      if (failure === undefined) unseen++;
      const { suite, test } = CAUGHT_DEFECTS[name];
      console.log(`${failure === undefined ? 'NOT SEEN' : 'seen'}: ${name}, by ${suite}: ${test}`);
      if (failure !== undefined) console.log(`  ${failure}`);
    }
    console.log(`${names.length - unseen} of ${names.length} defects seen; logs in ${logs}`);
    return unseen;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @returns the first words of the test's failure; undefined if it did not fail. */
async function failureOf(name: CaughtDefectName, directory: string, log: string): Promise<string | undefined> {
  const { suite, test } = CAUGHT_DEFECTS[name];
  const planted = plantDefects(directory, [name]);
  for (const path of planted) useBuilt(directory, path);
  const results = join(directory, 'results.json');
  rmSync(results, { force: true });
  const output = openSync(log, 'w');
  const pattern = test.replace(/\W/g, '.');
  const args = ['node_modules/jest/bin/jest.js', '--runTestsByPath', suite, '-t', pattern];
  const env = { ...process.env, TEST_RESULTS_FILE: results, TOPUP_DATA_DIR: dataDir };
  await once(spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', output, output] }), 'exit');
  for (const path of planted) {
    const source = sourceOf(path);
    for (const file of [path, source]) copyFileSync(join(checkout, file), join(directory, file));
  }
  const report = existsSync(results) ? (JSON.parse(readFileSync(results, 'utf8')) as Report) : { testResults: [] };
  const failed = report.testResults
    .flatMap(({ testResults }) => testResults)
    .find(({ status, fullName }) => status === 'failed' && fullName.includes(test));
  return failed && wordsOf(failed.failureMessages[0] ?? '');
}

const sourceOf = (path: string): string => path.replace(/^dist\/(.+)\.js$/, '$1.ts');

/** Suites run the sources, which are compiled when they are loaded. */
function useBuilt(directory: string, path: string): void {
  const built = readFileSync(join(directory, path), 'utf8');
  writeFileSync(join(directory, sourceOf(path)), built.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}

/** The lines of a failure's message before its stack, in one line. */
const wordsOf = (message: string): string =>
  (stripVTControlCharacters(message).split(/\n\s+at /)[0] ?? '').replaceAll(/\s+/g, ' ').slice(0, 200);
