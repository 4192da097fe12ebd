import { invalidValue, refusal } from '../core/errors.js';
import { formatBaht, type Satang } from '../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import type { DepositChannel } from './deposit-channel.entity.js';

/** In seconds, outside of the sandbox. */
const MIN_EXPIRES_IN = 60;

/**
 * Chooses the channel of a new deposit.
 * @param isOpen whether a channel makes deposits now.
 * @throws SERVICE_UNAVAILABLE; BAD_REQUEST
 */
export function chooseChannel(
  { channel: code, amount, expiresIn }: { channel?: string | undefined; amount: Satang; expiresIn: number },
  channels: DepositChannel[],
  isOpen: (channel: DepositChannel) => boolean,
): DepositChannel {
  const takes = ({ min, max }: DepositChannel): boolean => amount >= min && amount <= max;
  const isFree = (each: DepositChannel): boolean => takes(each) && isOpen(each);
  const named = code === undefined ? channels.find(isFree) : channels.find((each) => each.code === code);
  if (named && code !== undefined && !isOpen(named)) {
    const message = `channel ${named.code} takes no deposits now: choose another one, or try again later`;
    throw refusal('SERVICE_UNAVAILABLE', 'NO_CHANNEL', 'channel', message);
  }
  if (!named) {
    if (code !== undefined) throw invalidValue('channel', `there is no active channel ${code}`);
    const message = `no active channel takes ${formatBaht(amount)} THB`;
    throw refusal('SERVICE_UNAVAILABLE', 'NO_CHANNEL', 'amount', message);
  }
  if (!takes(named)) {
    const limits = `${formatBaht(named.min)} to ${formatBaht(named.max)} THB`;
    const message = `channel ${named.code} takes ${limits}, not ${formatBaht(amount)}`;
    throw refusal('BAD_REQUEST', 'OUT_OF_RANGE', 'amount', message);
  }
  if (named.id !== SANDBOX_CHANNEL_ID && expiresIn < MIN_EXPIRES_IN) {
    const message = `expires_in must be an integer from ${MIN_EXPIRES_IN} to 86400`;
    throw refusal('BAD_REQUEST', 'OUT_OF_RANGE', 'expires_in', message);
  }
  return named;
}
