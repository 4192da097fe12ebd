import { DAY_MS, HOUR_MS } from '../core/durations.js';
import type { ClaimedDeposit } from './inquiries.repository.js';

type Times = Pick<ClaimedDeposit, 'created_at' | 'expires_at' | 'answered_at' | 'asked_before' | 'asked_at'>;

/**
 * When to inquire next about a payment: at doubling intervals during the offer, at its end, and then hourly for a day, because a
 * late payment is booked, too. After that day, only a callback leads to an inquiry. An inquiry that the vendor then does not
 * answer is repeated for three days. Null: there is no next inquiry.
 */
export function nextInquiry(
  times: Times,
  { firstMs, maxGapMs }: { firstMs: number; maxGapMs: number },
  isAnswered: boolean,
): Date | null {
  const [now, end] = [times.asked_at.getTime(), times.expires_at.getTime()];
  if (now < end) {
    const gap = Math.min(Math.max(now - times.created_at.getTime(), firstMs), maxGapMs);
    return new Date(Math.min(now + gap, end));
  }
  if (now + HOUR_MS <= end + DAY_MS) return new Date(now + HOUR_MS);
  const gap = isAnswered ? null : gapWithoutAnswer(times);
  return gap === null ? null : new Date(now + gap);
}

/** An hour, and then the doubled last interval while that is at most two days. The list of payments has what happens later. */
function gapWithoutAnswer({ asked_at: askedAt, asked_before: before, answered_at: answeredAt }: Times): number | null {
  const isRepeated = before !== null && (answeredAt === null || before > answeredAt);
  const last = isRepeated ? askedAt.getTime() - before.getTime() : 0;
  // A longer time is none of these intervals: a callback came.
  if (last > 2 * DAY_MS) return HOUR_MS;
  return last > DAY_MS ? null : Math.max(HOUR_MS, 2 * last);
}
