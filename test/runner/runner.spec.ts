import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The results of a run, without times. */
interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { testFilePath: string; testResults: { fullName: string; status: string }[] }[];
}

let folder: string;

beforeAll(() => {
  mkdirSync(path.join(checkout, '.local'), { recursive: true });
  folder = mkdtempSync(path.join(checkout, '.local', 'runner-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs Jest with suites of these texts, several at a time. */
function start(suites: Record<string, string>, ...args: string[]): { jest: ChildProcess; results: string } {
  const rootDir = mkdtempSync(path.join(folder, 'suites-'));
  for (const [name, text] of Object.entries(suites)) {
    const imports = "import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';\n";
    writeFileSync(path.join(rootDir, `${name}.spec.ts`), imports + text);
  }
  const config = {
    rootDir,
    runner: path.join(checkout, 'test/runner/index.js'),
    reporters: [path.join(checkout, 'test/runner/reporter.js')],
    testRegex: 'spec.ts$',
    maxWorkers: 1,
    // A suite may load modules that nothing has loaded before.
    testTimeout: 300_000,
  };
  const results = path.join(rootDir, 'results.json');
  const jest = spawn(
    process.execPath,
    [path.join(checkout, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config), ...args],
    { stdio: 'ignore', env: { ...process.env, TEST_RESULTS_FILE: results } },
  );
  return { jest, results };
}

async function run(suites: Record<string, string>, ...args: string[]): Promise<Results> {
  const { jest, results } = start(suites, ...args);
  await once(jest, 'exit');
  return JSON.parse(readFileSync(results, 'utf8')) as Results;
}

/** The number in a file, once a suite has written it. */
async function notedIn(file: string): Promise<number> {
  await eventually(
    () => existsSync(file) && readFileSync(file, 'utf8') !== '',
    (isNoted) => isNoted,
  );
  return Number(readFileSync(file, 'utf8'));
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);

const counts = ({ numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }: Results): number[] => [
  numPassedTests,
  numFailedTests,
  numPendingTests,
  numRuntimeErrorTestSuites,
];

describe('the runner of the tests', () => {
  it('leaves no process behind when Jest is killed', async () => {
    const note = path.join(folder, 'pid');
    const { jest } = start({
      forever: `it('waits', async () => {
        const { writeFileSync } = await import('node:fs');
        writeFileSync(${JSON.stringify(note)}, String(process.pid));
        await new Promise((resolve) => setInterval(resolve, 2 ** 30));
      });`,
    });
    const pid = await notedIn(note);
    expect(isRunning(pid)).toBe(true);
    jest.kill('SIGKILL');
    await eventually(
      () => isRunning(pid),
      (is) => !is,
    );
  });

  it('leaves no server of a suite behind when Jest is interrupted', async () => {
    const note = path.join(folder, 'server-pid');
    const logFile = path.join(folder, 'server.log');
    const { jest } = start({
      forever: `it('waits', async () => {
        const { writeFileSync } = await import('node:fs');
        const { ServerProcess } = await import(${JSON.stringify(path.join(checkout, 'tools/local-stack/server-process.ts'))});
        const { pid } = new ServerProcess({
          name: 'server', cwd: '.', env: {}, logFile: ${JSON.stringify(logFile)},
          command: [process.execPath, '-e', 'setInterval(() => undefined, 2 ** 30)'],
          stopSignals: [{ signal: 'SIGKILL', waitMs: 1000 }],
        });
        writeFileSync(${JSON.stringify(note)}, String(pid));
        await new Promise((resolve) => setInterval(resolve, 2 ** 30));
      });`,
    });
    const pid = await notedIn(note);
    expect(isRunning(pid)).toBe(true);
    jest.kill('SIGINT');
    await eventually(
      () => isRunning(pid),
      (is) => !is,
    );
  });

  it('reports passed, failed and skipped tests', async () => {
    const results = await run({
      one: `describe('sums', () => {
        it('are right', () => expect(1 + 1).toBe(2));
        it('are wrong', () => expect(1 + 1).toBe(3));
        it.skip('are later', () => expect(1).toBe(2));
        it.failing('fail as they should', () => expect(1).toBe(2));
        it.each([1, 2])('of %d', (number) => expect(number).toBeLessThan(2));
      });`,
    });
    expect(counts(results)).toEqual([3, 2, 1, 0]);
    const failed = results.testResults[0]?.testResults.filter(({ status }) => status === 'failed');
    expect(failed?.map(({ fullName }) => fullName)).toEqual(['sums are wrong', 'sums of 2']);
  });

  it('fails a test that never ends, a test with an unhandled rejection, and all tests of a hook that fails', async () => {
    const results = await run({
      one: `it('never ends', () => new Promise(() => setInterval(() => undefined, 1000)), 50);
        it('leaves a promise', async () => {
          void Promise.reject(new Error('nobody'));
          await new Promise((resolve) => setImmediate(resolve));
        });
        it('is well', () => expect(1).toBe(1));
        describe('behind a hook', () => {
          beforeAll(() => { throw new Error('not today'); });
          it('does not run', () => expect(1).toBe(1));
        });`,
    });
    expect(counts(results)).toEqual([1, 3, 0, 0]);
  });

  it('fails a suite that cannot be loaded, and one whose process is killed; the others go on', async () => {
    const results = await run({
      one: 'it(',
      two: "it('ends its process', () => new Promise(() => process.kill(process.pid, 'SIGKILL')));",
      three: "it('runs', () => expect(1).toBe(1));",
      four: "import './nowhere.js';",
    });
    expect(counts(results)).toEqual([1, 0, 0, 3]);
  });

  it('loads a module once for all suites of a process, and restores environment, clock and spies', async () => {
    const state = `const state = (globalThis as { seen?: number });`;
    const first = `${state}
      it('changes', () => {
        state.seen = 1;
        process.env.LEFT_BEHIND = 'yes';
        jest.spyOn(Math, 'max').mockReturnValue(-1);
        jest.useFakeTimers().setSystemTime(0);
        expect(Date.now()).toBe(0);
      });`;
    const second = `${state}
      it('finds all as it was', () => {
        expect(state.seen).toBe(1);
        expect(process.env.LEFT_BEHIND).toBeUndefined();
        expect(Math.max(1, 2)).toBe(2);
        expect(Date.now()).toBeGreaterThan(0);
      });`;
    // The larger file runs first.
    const results = await run({ one: `${first}\n${'//'.repeat(500)}`, two: second });
    expect(counts(results)).toEqual([2, 0, 0, 0]);
  });

  it('runs only the tests that a name selects', async () => {
    const suite = "it('one', () => expect(1).toBe(1)); it('two', () => expect(1).toBe(2));";
    expect(counts(await run({ suite }, '--testNamePattern', 'one'))).toEqual([1, 0, 1, 0]);
  });
});
