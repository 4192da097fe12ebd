import { pathToFileURL } from 'node:url';
import { createEmptyTestResult } from '@jest/test-result';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import { expect, jest } from './globals.js';

// Suites may change the clock.
const nextTurn = globalThis.setImmediate;

/** Rejected promises without a handler so far. */
const rejections = new Map();
process.on('unhandledRejection', (error, promise) => rejections.set(promise, error));
process.on('rejectionHandled', (promise) => rejections.delete(promise));
// Jest has ended, so nothing waits for the remaining suites.
process.once('disconnect', () => process.exit(1));
process.on('uncaughtException', (error) => failuresOf(getState()).push(error));

const failuresOf = ({ currentlyRunningTest, unhandledErrors }) => currentlyRunningTest?.errors ?? unhandledErrors;

/** An unhandled rejection fails the running test, unless it is handled within a turn of the event loop. */
async function collectRejections(failures) {
  await new Promise((resolve) => nextTurn(resolve));
  failures.push(...rejections.values());
  rejections.clear();
}

addEventHandler(async ({ name, test }, { unhandledErrors }) => {
  if (name === 'test_start') expect.setState({ currentTestName: titlesOf(test).join(' '), suppressedErrors: [] });
  if (name === 'test_done') {
    const { suppressedErrors = [], numPassingAsserts } = expect.getState();
    test.numPassingAsserts = numPassingAsserts;
    test.errors.push(...suppressedErrors);
    expect.setState({ suppressedErrors: [] });
    await collectRejections(test.errors);
  }
  if (name === 'run_finish') await collectRejections(unhandledErrors);
});

/** Runs one suite, and restores what it may have changed in this process. @returns a result for Jest's reporters. */
export async function runSuite(file, { testNamePattern, testTimeout, expand, config }) {
  const env = { ...process.env };
  const startedAt = Date.now();
  resetState();
  getState().testTimeout = testTimeout;
  if (testNamePattern) getState().testNamePattern = new RegExp(testNamePattern, 'i');
  expect.setState({ expand, testPath: file });
  try {
    await import(pathToFileURL(file).href);
    return report(file, config, await run(), startedAt);
  } finally {
    jest.restoreAllMocks();
    jest.useRealTimers();
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
}

function titlesOf(test) {
  const titles = [];
  // The outermost block is Jest's own.
  for (let block = test; block.parent; block = block.parent) titles.unshift(block.name);
  return titles;
}

function report(file, config, { testResults, unhandledErrors, unhandledErrorsDetailed }, startedAt) {
  const results = testResults.map(({ testPath, errors, errorsDetailed, status, duration, numPassingAsserts }) => {
    const [, ...titles] = testPath;
    const outcome = { skip: 'pending', todo: 'todo' }[status] ?? (errors.length > 0 ? 'failed' : 'passed');
    return {
      ancestorTitles: titles.slice(0, -1),
      title: titles.at(-1),
      fullName: titles.join(' '),
      status: outcome,
      duration,
      numPassingAsserts,
      failureMessages: errors,
      failureDetails: errorsDetailed,
      location: null,
      invocations: 1,
      retryReasons: [],
    };
  });
  const count = (status) => results.filter((each) => each.status === status).length;
  const options = { noStackTrace: false };
  let failureMessage = formatResultsErrors(results, config, options, file) ?? '';
  let testExecError;
  if (unhandledErrors.length > 0) {
    testExecError = { message: '', stack: unhandledErrors.join('\n') };
    failureMessage += unhandledErrorsDetailed.map((error) => formatExecError(error, config, options, file)).join('\n');
  }
  const end = Date.now();
  const empty = createEmptyTestResult();
  return {
    ...empty,
    failureMessage: failureMessage === '' ? null : failureMessage,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { ...empty.perfStats, start: startedAt, end, runtime: end - startedAt, slow: false },
    testExecError,
    testFilePath: file,
    testResults: results,
  };
}
