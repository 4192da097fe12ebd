import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { invalidValue } from '../../core/errors.js';
import { checkedMoment } from '../../core/moments.js';
import type { Steps } from './minute-stats.repository.js';

const MAX_MS = 92 * DAY_MS;
const MAX_STEPS = 200;
/** The lengths that a step may have: from a minute to a day. */
const STEP_SECONDS = [60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

/**
 * Divides a period into at most 200 steps of a round length. Without `to`, the period ends now. Without `from`, it begins an
 * hour before its end.
 * @throws BAD_REQUEST for a period that is empty or too long.
 */
export function stepsBetween(from: string | undefined, to: string | undefined): Steps {
  const until = to === undefined ? new Date() : checkedMoment(to);
  const since = from === undefined ? new Date(until.getTime() - HOUR_MS) : checkedMoment(from);
  const lengthMs = until.getTime() - since.getTime();
  if (lengthMs <= 0) refuse('to must be later than from');
  if (lengthMs > MAX_MS) refuse('from and to may be 92 days apart at most');
  // One step less than the limit, because the period is then extended to whole steps at both ends.
  const found = STEP_SECONDS.find((seconds) => lengthMs / 1000 / seconds <= MAX_STEPS - 1);
  const stepSeconds = found ?? refuse('from and to may be 92 days apart at most');
  const stepMs = stepSeconds * 1000;
  const first = Math.floor(since.getTime() / stepMs) * stepMs;
  const last = Math.ceil(until.getTime() / stepMs) * stepMs;
  return { since: new Date(first), until: new Date(last), stepSeconds };
}

function refuse(message: string): never {
  throw invalidValue('to', message);
}
