import { DAY_MS, HOUR_MS } from '../core/durations.js';
import type { ClaimedDeposit } from './inquiries.repository.js';

/**
 * When to inquire next about a payment that is not made yet: at doubling intervals while it is offered, at the end of the offer,
 * and then hourly for a day, because late money is money. Null: no more.
 */
export function nextInquiry(
  {
    created_at: createdAt,
    expires_at: expiresAt,
    asked_at: askedAt,
  }: Pick<ClaimedDeposit, 'created_at' | 'expires_at' | 'asked_at'>,
  { firstMs, maxGapMs }: { firstMs: number; maxGapMs: number },
): Date | null {
  const [now, end] = [askedAt.getTime(), expiresAt.getTime()];
  if (now < end) {
    const gap = Math.min(Math.max(now - createdAt.getTime(), firstMs), maxGapMs);
    return new Date(Math.min(now + gap, end));
  }
  return now + HOUR_MS <= end + DAY_MS ? new Date(now + HOUR_MS) : null;
}
