import type { DepositChannel } from './deposit-channel.entity.js';

/**
 * Does something for each channel, one after the other. A channel that fails, such as one whose credentials can't be opened, keeps
 * no other one from its turn.
 * @throws the first failure, after the last turn.
 */
export async function eachChannel<Channel extends Pick<DepositChannel, 'code'>>(
  channels: readonly Channel[],
  act: (channel: Channel) => Promise<void>,
): Promise<void> {
  const failures: Error[] = [];
  for (const channel of channels)
    await act(channel).catch((cause: Error) =>
      failures.push(new Error(`channel ${channel.code}: ${cause.message}`, { cause })),
    );
  if (failures[0]) throw failures[0];
}
