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

/** The last of the doubled intervals. The list of payments has what happens later. */
const LAST_GAP_MS = 32 * HOUR_MS;

/**
 * An hour, and then the doubled last interval, up to `LAST_GAP_MS`. The intervals are whole hours, although each inquiry comes a
 * moment late. So another long time is none of them: a callback came.
 */
function gapWithoutAnswer({ asked_at: askedAt, asked_before: before, answered_at: answeredAt }: Times): number | null {
  const isRepeated = before !== null && (answeredAt === null || before > answeredAt);
  const last = isRepeated ? askedAt.getTime() - before.getTime() : 0;
  if (last > DAY_MS) return last >= LAST_GAP_MS && last < LAST_GAP_MS + HOUR_MS / 2 ? null : HOUR_MS;
  const doubled = Math.max(2 * last, HOUR_MS);
  return Math.min(HOUR_MS * 2 ** Math.round(Math.log2(doubled / HOUR_MS)), LAST_GAP_MS);
}
