import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import { getState } from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

// The exports of `@jest/globals`, for suites in a process without Jest's own runtime.
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export const expect = jestExpect;

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
  config: { fakeTimers: {}, rootDir: process.cwd() },
  global: globalThis,
});

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  setTimeout: (milliseconds) => void (getState().testTimeout = milliseconds),
  useFakeTimers: (options) => {
    timers.useFakeTimers(options);
    return jest;
  },
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  useRealTimers: () => timers.useRealTimers(),
  setSystemTime: (moment) => timers.setSystemTime(moment),
};
