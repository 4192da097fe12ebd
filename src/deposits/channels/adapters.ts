import { AppError } from '../../core/errors.js';
import type { ChannelAdapter, ChannelSettings } from './channel-adapter.js';
import { PromptPayChannel } from './promptpay/promptpay-channel.js';

/** All adapters of channels. */
const ADAPTERS: readonly ChannelAdapter[] = [new PromptPayChannel()].map(
  // Settings go back only to the adapter that read them.
  (adapter) => adapter as unknown as ChannelAdapter<ChannelSettings>,
);

export const CHANNEL_ADAPTER_NAMES = ADAPTERS.map(({ description }) => description.adapter);

export const channelAdapters = (): readonly ChannelAdapter[] => ADAPTERS;

/** @throws BAD_REQUEST */
export function channelAdapter(name: string): ChannelAdapter {
  const adapter = ADAPTERS.find(({ description }) => description.adapter === name);
  if (adapter) return adapter;
  throw new AppError(
    'BAD_REQUEST',
    `there is no adapter ${name} of channels: choose from ${CHANNEL_ADAPTER_NAMES.join(', ')}`,
  );
}
