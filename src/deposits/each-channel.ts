import type { DepositChannel } from './deposit-channel.entity.js';

/**
 * Does something for each channel, one after the other. A channel that fails, such as one whose credentials can't be opened,
 * keeps no other one from its turn.
 * @throws the first failure, after the last turn.
 */
export async function eachChannel<Channel extends Pick<DepositChannel, 'code'>>(
  channels: readonly Channel[],
  act: (channel: Channel) => Promise<void>,
): Promise<void> {
  const failures: Error[] = [];
  for (const channel of channels) await act(channel).catch((cause: Error) => failures.push(failureOf(channel, cause)));
  if (failures[0]) throw failures[0];
}

/** The failure of a channel's turn, with the name of the channel. */
export const failureOf = ({ code }: Pick<DepositChannel, 'code'>, cause: Error): Error =>
  new Error(`channel ${code}: ${cause.message}`, { cause });
