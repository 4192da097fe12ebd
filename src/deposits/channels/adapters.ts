import { AppError } from '../../core/errors.js';
import type { AdapterHttp } from '../../suppliers/adapter-http.js';
import type { ChannelAdapter, ChannelDescription } from './channel-adapter.js';
import { OpnChannel } from './opn/opn-channel.js';
import { PromptPayChannel } from './promptpay/promptpay-channel.js';

interface AdapterClass {
  readonly description: ChannelDescription;
  new (http: AdapterHttp): ChannelAdapter;
}

/** All adapters of channels. */
export const CHANNEL_ADAPTERS: readonly AdapterClass[] = [PromptPayChannel, OpnChannel];

export const CHANNEL_ADAPTER_NAMES = CHANNEL_ADAPTERS.map(({ description }) => description.adapter);

/** @throws BAD_REQUEST */
export function describeChannelAdapter(name: string): ChannelDescription {
  const found = CHANNEL_ADAPTERS.find(({ description }) => description.adapter === name);
  if (found) return found.description;
  throw new AppError(
    'BAD_REQUEST',
    `there is no adapter ${name} of channels: choose from ${CHANNEL_ADAPTER_NAMES.join(', ')}`,
  );
}
