import swc from './scripts/swc.mjs';

/** Specs sit beside pure files (`*.spec.ts`); `test/*.e2e-spec.ts` run on real PostgreSQL and Redis. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/tools', '<rootDir>/test'],
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  resolver: '<rootDir>/test/support/resolver.cjs',
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Most of a test's time is waiting for sockets and clocks, so there is room for more than one per core.
  maxWorkers: 5,
  // A test that fails waits for something that does not come; one that passes on a busy machine takes its time.
  testTimeout: 180_000,
};
