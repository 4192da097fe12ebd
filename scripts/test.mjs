// Runs the tests; on a fresh clone it installs and builds first. The last line counts the tests.
//   npm test                          the suites to pass before a merge: all but those of test/long.js
//   npm test -- test/orders -t words  only what these arguments of jest select, long suites included
//   npm run test:all                  all suites; with `--rest` only those that `npm test` leaves out
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LONG, LONG_SUITES } from '../test/long.js';
import { outputOf } from './children.mjs';
import { checkout, installPackages, PreparationError, prepareCheckout } from './prepare.mjs';

const NEVER = '/node_modules/';
/** Browser suites keep every processor busy: tests beside them that wait for the network would time out. */
const BROWSERS = LONG.browsers.map((pattern) => `/test/${pattern}`);
const QUICK = ['--testPathIgnorePatterns', NEVER, ...LONG_SUITES];
const REST = [
  ['--testPathPatterns', ...LONG_SUITES, '--testPathIgnorePatterns', NEVER, ...BROWSERS],
  ['--testPathPatterns', ...BROWSERS, '--maxWorkers=2'],
];

/** The expected time, printed before the suites begin. */
const EXPECTED = {
  quick: ', some 5 minutes on two cores (npm run test:all runs all)',
  all: ', some 20 minutes on two cores',
};

let isInterrupted = false;

process.exit(await main(process.argv.slice(2)));

async function main(args) {
  const runs = runsOf(args);
  try {
    await prepareFor(runs);
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    console.error(error.message);
    printCounts({ passed: 0, failed: 1, skipped: 0 });
    return 1;
  }
  const dataDir = path.resolve(checkout, process.env.TOPUP_DATA_DIR || '.local');
  mkdirSync(dataDir, { recursive: true });
  const directory = mkdtempSync(path.join(dataDir, 'jest-'));
  try {
    const total = { passed: 0, failed: 0, skipped: 0 };
    const failures = [];
    for (const run of runs) {
      const results = path.join(directory, 'results.json');
      rmSync(results, { force: true });
      const exitCode = await runJest(results, run);
      const report = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
      failures.push(...failuresOf(report));
      const counts = count(report, exitCode);
      for (const key of Object.keys(total)) total[key] += counts[key];
      if (isInterrupted) break;
    }
    // Failures are listed again at the end, each with the command that repeats it.
    for (const { suite, name } of failures) {
      console.log(`failed: ${suite}: ${name ?? 'did not run'}`);
      console.log(`  repeat: npm test -- ${suite}${name ? ` -t '${asPattern(name)}'` : ''}`);
    }
    printCounts(total);
    return total.failed > 0 ? 1 : 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @returns the arguments of each run of jest, in order. */
function runsOf([first, ...others]) {
  if (first === '--all') return others[0] === '--rest' ? REST : [QUICK, ...REST];
  return first === undefined ? [QUICK] : [[first, ...others]];
}

function expectationOf(runs) {
  if (runs[0] === QUICK) return EXPECTED[runs.length > 1 ? 'all' : 'quick'];
  return runs[0].includes('') ? `: an empty pattern selects all of them${EXPECTED.all}` : '';
}

/** Unit specs need neither a build nor servers, so a single one takes seconds. */
async function prepareFor(runs) {
  await installPackages();
  const files = [];
  for (const run of runs) files.push(...(await listSuites(run)));
  const count = files.length;
  if (count > 1) console.error(`${count} suites${expectationOf(runs)}`);
  if (files.some((file) => file.endsWith('.e2e-spec.ts'))) await prepareCheckout();
}

async function listSuites(args) {
  const { stdout } = await outputOf(process.execPath, [jestProgram(), '--listTests', ...args]);
  return stdout.split('\n').filter((line) => line !== '');
}

function jestProgram() {
  return path.join(checkout, 'node_modules', 'jest', 'bin', 'jest.js');
}

async function runJest(results, args) {
  const jest = spawn(process.execPath, [jestProgram(), ...args], {
    stdio: ['ignore', 2, 2],
    // test/runner/reporter.js writes the results to this file.
    env: { ...process.env, TEST_RESULTS_FILE: results },
  });
  // Ctrl-C reaches jest as well, which then cleans up. A signal to this process alone must be passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isInterrupted = true;
      jest.kill(signal);
    });
  }
  const [code] = await once(jest, 'exit');
  return code ?? 1;
}

/** A suite that could not run has no tests to count: it counts as one failed test. */
function count(report, exitCode) {
  const failed = (report.numFailedTests ?? 0) + (report.numRuntimeErrorTestSuites ?? 0);
  return {
    passed: report.numPassedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}

function failuresOf({ testResults = [] }) {
  return testResults.flatMap(({ testFilePath, testExecError, testResults: tests }) => {
    const suite = path.relative(checkout, testFilePath);
    const failed = tests.filter((each) => each.status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName: name }) => ({ suite, name }));
    return testExecError ? [{ suite }] : [];
  });
}

/** The name of a test as a regular expression for jest, safe between the shell's single quotes. */
function asPattern(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", '.');
}

function printCounts({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
