// From a fresh clone to a tested one. The last line counts the tests.
//   npm test                          the suites that make a change trusted: all but those of test/long.js
//   npm test -- test/orders -t words  those alone that the arguments of jest select, long ones too
//   npm run test:all                  all suites; with `--rest` those alone that `npm test` leaves out
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LONG, LONG_SUITES } from '../test/long.js';
import { checkout, installPackages, PreparationError, prepareCheckout } from './prepare.mjs';

const NEVER = '/node_modules/';
/** They keep every processor busy: beside them, tests that wait for the network would give up. */
const BROWSERS = LONG.browsers.map((pattern) => `/test/${pattern}`);
const QUICK = ['--testPathIgnorePatterns', NEVER, ...LONG_SUITES];
const REST = [
  ['--testPathPatterns', ...LONG_SUITES, '--testPathIgnorePatterns', NEVER, ...BROWSERS],
  ['--testPathPatterns', ...BROWSERS, '--maxWorkers=2'],
];

/** How long they take, said before they begin. */
const EXPECTED = {
  quick: ', some 6 minutes on two cores (npm run test:all runs all)',
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
    // Once more at the end, where they are looked for, with the command that repeats each.
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

/** @returns the arguments of one run of jest after the other. */
function runsOf([first, ...others]) {
  if (first === '--all') return others[0] === '--rest' ? REST : [QUICK, ...REST];
  return first === undefined ? [QUICK] : [[first, ...others]];
}

/** Unit specs need neither a build nor servers: a single one has its result within seconds. */
async function prepareFor(runs) {
  installPackages();
  const files = runs.map((run) => listSuites(run));
  const count = files.flat().length;
  if (count > 1)
    console.error(`${count} suites${runs[0] === QUICK ? EXPECTED[runs.length > 1 ? 'all' : 'quick'] : ''}`);
  if (files.flat().some((file) => file.endsWith('.e2e-spec.ts'))) prepareCheckout();
}

function listSuites(args) {
  const { stdout } = spawnSync(process.execPath, [jestProgram(), '--listTests', ...args], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line !== '');
}

function jestProgram() {
  return path.join(checkout, 'node_modules', 'jest', 'bin', 'jest.js');
}

async function runJest(results, args) {
  const jest = spawn(process.execPath, [jestProgram(), ...args], {
    stdio: ['ignore', 2, 2],
    // Where test/runner/reporter.js leaves what came of it.
    env: { ...process.env, TEST_RESULTS_FILE: results },
  });
  // Ctrl-C reaches jest too, which then cleans up; a signal to this process alone is passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isInterrupted = true;
      jest.kill(signal);
    });
  }
  const [code] = await once(jest, 'exit');
  return code ?? 1;
}

/** A suite that could not run has no tests to count: it counts as one that failed. */
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

/** As jest reads a name: a regular expression, which the shell takes as it is. */
function asPattern(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", '.');
}

function printCounts({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
