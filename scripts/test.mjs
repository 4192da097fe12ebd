// `npm test [-- jest arguments]`: from a fresh clone to a tested one. The last line counts the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checkout, PreparationError, prepareCheckout } from './prepare.mjs';

/** Suites that drive a browser. */
const IN_BROWSER = '/browser[/.]';

let isInterrupted = false;

process.exit(await main());

async function main() {
  try {
    prepareCheckout();
    await import('./pack-for-tests.mjs');
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
    for (const args of runsOf(process.argv.slice(2))) {
      const results = path.join(directory, 'results.json');
      rmSync(results, { force: true });
      const exitCode = await runJest(results, args);
      const report = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
      failures.push(...failuresOf(report));
      const counts = count(report, exitCode);
      for (const key of Object.keys(total)) total[key] += counts[key];
      if (isInterrupted) break;
    }
    // Once more at the end, where they are looked for after thousands of lines.
    for (const failure of failures) console.log(`failed: ${failure}`);
    printCounts(total);
    return total.failed > 0 ? 1 : 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Browsers keep every processor busy: beside them, tests that wait for the network would give up. Where the caller names no
 * tests, they have a run of their own.
 */
function runsOf(args) {
  if (args.length > 0) return [args];
  return [
    ['--testPathIgnorePatterns', '/node_modules/', IN_BROWSER],
    ['--testPathPatterns', IN_BROWSER, '--maxWorkers=2'],
  ];
}

async function runJest(results, args) {
  const jest = spawn(
    process.execPath,
    [
      // The sources are ES modules, which jest runs in Node's vm; Node warns of that in every worker.
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      path.join(checkout, 'node_modules', 'jest', 'bin', 'jest.js'),
      '--json',
      `--outputFile=${results}`,
      // The servers and their files are gone by then; a socket that is still closing must not hold up the result.
      '--forceExit',
      ...args,
    ],
    { stdio: ['ignore', 2, 2] },
  );
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
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const suite = path.relative(checkout, name);
    const tests = assertionResults.filter((each) => each.status === 'failed');
    if (tests.length > 0) return tests.map(({ fullName }) => `${suite}: ${fullName}`);
    return status === 'failed' ? [`${suite}: did not run`] : [];
  });
}

function printCounts({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
