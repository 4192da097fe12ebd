import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isUnattended, watchAttendance } from '../../console/src/kit/attendance.js';

describe('a page', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is unattended a minute after the last input, until the next', () => {
    const page = new EventTarget();
    watchAttendance(page);
    for (const sign of ['keydown', 'pointermove', 'wheel']) {
      page.dispatchEvent(new Event(sign));
      jest.advanceTimersByTime(59_000);
      expect(isUnattended()).toBe(false);
      jest.advanceTimersByTime(2_000);
      expect(isUnattended()).toBe(true);
    }
  });
});
