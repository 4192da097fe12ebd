import { DAY_MS, HOUR_MS } from '../core/durations.js';
import type { ClaimedDeposit } from './inquiries.repository.js';

/**
 * When to inquire next about a payment: at doubling intervals while it is offered, at the end of the offer, and then hourly for a day,
 * because late money is money. Null: no more. An inquiry without an answer is never the last one: only a callback may have led to it.
 */
export function nextInquiry(
  {
    created_at: createdAt,
    expires_at: expiresAt,
    asked_at: askedAt,
  }: Pick<ClaimedDeposit, 'created_at' | 'expires_at' | 'asked_at'>,
  { firstMs, maxGapMs }: { firstMs: number; maxGapMs: number },
  isAnswered: boolean,
): Date | null {
  const [now, end] = [askedAt.getTime(), expiresAt.getTime()];
  if (now < end) {
    const gap = Math.min(Math.max(now - createdAt.getTime(), firstMs), maxGapMs);
    return new Date(Math.min(now + gap, end));
  }
  return !isAnswered || now + HOUR_MS <= end + DAY_MS ? new Date(now + HOUR_MS) : null;
}
