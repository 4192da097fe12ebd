import { describe, expect, it } from '@jest/globals';
import { inquiryDelayMs, resendDelayMs } from './backoff.js';

describe('backoff', () => {
  it('repeats a send that was not accepted after 1 s, doubling to 60 s', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 50].map(resendDelayMs)).toEqual(
      [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    );
  });

  it('inquires first after 2 s, doubling to 60 s', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 40].map(inquiryDelayMs)).toEqual(
      [2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    );
  });
});
