/** Specs sit beside pure files (`*.spec.ts`); `test/*.e2e-spec.ts` run on real PostgreSQL and Redis. */
export default {
  // Suites run as plain Node.js programs: nothing is transformed by Jest itself.
  runner: '<rootDir>/test/runner/index.js',
  reporters: ['<rootDir>/test/runner/reporter.js'],
  roots: ['<rootDir>/src', '<rootDir>/tools', '<rootDir>/test'],
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  // Only `--findRelatedTests` asks Jest for a module.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testSequencer: '<rootDir>/test/runner/sequencer.js',
  // Most of a test's time is waiting for sockets and clocks: two cores are busy with five.
  maxWorkers: 5,
  // A test that fails waits for something that does not come; one that passes on a busy machine takes its time.
  testTimeout: 300_000,
};
