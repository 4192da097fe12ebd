import { describe, expect, it } from '@jest/globals';
import { inquiryDelayMs, nextCallDelayMs, resendDelayMs } from './backoff.js';

describe('backoff', () => {
  it('repeats a send that was not accepted after 1 s, doubling to 60 s', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 50].map(resendDelayMs)).toEqual(
      [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    );
  });

  it('inquires first after 2 s, doubling to 60 s', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 40].map((inquiries) => inquiryDelayMs(inquiries))).toEqual(
      [2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    );
  });

  const call = { unit: { attempt_sends: 1, inquiries: 0, is_repeat: false }, firstMs: 60_000, minGapMs: 60_000 };
  const unknown = { kind: 'unknown', detail: 'timeout' } as const;
  const notAccepted = { kind: 'not_accepted', detail: 'ECONNREFUSED' } as const;

  it('keeps the minimum gap between two calls about an attempt', () => {
    expect(nextCallDelayMs({ ...call, outcome: unknown })).toBe(60_000);
    expect(nextCallDelayMs({ ...call, firstMs: 2_000, outcome: unknown })).toBe(60_000);
    expect(nextCallDelayMs({ ...call, outcome: { ...unknown, retryAfterMs: 90_000 } })).toBe(90_000);
    const repeat = { ...call, unit: { ...call.unit, is_repeat: true } };
    expect(nextCallDelayMs({ ...repeat, outcome: notAccepted })).toBe(60_000);
  });

  it('doubles the gap where the first inquiry follows at once', () => {
    const delays = [0, 1, 2, 3].map((inquiries) =>
      nextCallDelayMs({ ...call, unit: { ...call.unit, inquiries }, firstMs: 0, minGapMs: 30_000, outcome: unknown }),
    );
    expect(delays).toEqual([30_000, 60_000, 60_000, 60_000]);
  });

  it('does not wait for the gap after a call that did not reach the supplier', () => {
    expect(nextCallDelayMs({ ...call, outcome: notAccepted })).toBe(1_000);
  });
});
