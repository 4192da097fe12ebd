import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'jest-worker';
import { startServers } from './servers.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const urlOf = (file) => pathToFileURL(path.join(here, file)).href;

/**
 * Jest's `runner`: runs suites as plain Node.js programs, one after the other in each of several processes. So the service
 * and its packages are loaded once for each process; Jest's own runner loads all of them anew for each suite.
 */
export default class PlainNodeRunner {
  isSerial = false;
  supportsEventEmitters = false;

  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const servers = tests.some(({ path: file }) => file.endsWith('.e2e-spec.ts')) ? await startServers() : null;
    try {
      const count = Math.min(this.globalConfig.maxWorkers, tests.length);
      const workers = startWorkers(count, servers?.env);
      const waiting = [...tests];
      const { testNamePattern, testTimeout, expand } = this.globalConfig;
      // A worker gets one suite at a time, so that no suite begins after an interruption.
      const work = async () => {
        for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
          const { path: file, context } = test;
          await onStart(test);
          await workers.runSuite(file, { testNamePattern, testTimeout, expand, config: context.config }).then(
            (result) => onResult(test, result),
            (error) => onFailure(test, error),
          );
        }
      };
      await Promise.all(Array.from({ length: count }, work));
      await workers.end();
    } finally {
      await servers?.stop();
    }
  }
}

function startWorkers(numWorkers, env) {
  Object.assign(process.env, env);
  return new Worker(path.join(here, 'suite.js'), {
    exposedMethods: ['runSuite'],
    numWorkers,
    // If a process is killed, its suite fails and is not repeated.
    maxRetries: 0,
    forkOptions: {
      execArgv: [
        '--enable-source-maps',
        '--disable-warning=ExperimentalWarning',
        '--max-semi-space-size=32',
        '--import',
        urlOf('../../scripts/typescript.mjs'),
        '--import',
        urlOf('globals-hook.mjs'),
        ...process.execArgv.filter((argument) => argument.startsWith('--inspect')),
      ],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  });
}
