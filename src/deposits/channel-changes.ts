import { pick } from '../core/members.js';
import type { Satang } from '../core/money.js';
import {
  baseUrlProblem,
  credentialsProblem,
  optionsProblem,
  withoutValues,
  type Changes,
} from '../suppliers/supplier-settings.js';
import type { ChannelDescription } from './channels/channel-adapter.js';
import type { ChannelStatus, DepositChannel } from './deposit-channel.entity.js';
import { toChannelView, type View } from './views.js';

const MAX_OPTION_LENGTH = 1_000;

/**
 * New settings of a channel. Values that are not given stay as they are. With another adapter, only the priority,
 * `holdAbove` and the status stay.
 */
export interface ChannelChanges {
  code: string;
  /** Unless given, the adapter that the channel has. */
  adapter?: string | undefined;
  /** Unless given, the address that the channel has, or for a new channel the vendor's own. */
  baseUrl?: string | undefined;
  credentials?: Changes;
  options?: Changes;
  min?: Satang | undefined;
  max?: Satang | undefined;
  priority?: number | undefined;
  holdAbove?: Satang | undefined;
  status?: ChannelStatus | undefined;
  /** Whether the present callback address stops working, and the channel gets another one. */
  newCallbackUrl?: boolean | undefined;
}

/** Whether the changes do no more than end new deposits, which needs no settings of the channel. */
export function isPause({ code: _code, adapter, status, ...others }: ChannelChanges, before: DepositChannel): boolean {
  const { credentials, options, ...more } = others;
  const values = Object.values({ ...more, ...credentials, ...options });
  const isSameAdapter = adapter === undefined || adapter === before.adapter;
  return status === 'inactive' && isSameAdapter && values.every((value) => value === undefined);
}

/** The first problem of the given settings alone, regardless of the stored ones; null if there is none. */
export function changesProblem(changes: ChannelChanges, description: ChannelDescription): string | null {
  const { code, baseUrl, options = {}, credentials = {} } = changes;
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(code))
    return 'the code must have 1 to 32 small letters, digits, - and _, and begin with a letter or digit';
  if (code === 'sandbox') return 'the channel sandbox is built in';
  return (
    (baseUrl === undefined ? null : baseUrlProblem(baseUrl)) ??
    credentialsProblem(credentials, description) ??
    optionsProblem(options, description, MAX_OPTION_LENGTH)
  );
}

/** For the audit log: of credentials only the names of those that were replaced or removed. */
export function detailOf(channel: DepositChannel, { credentials = {}, newCallbackUrl }: ChannelChanges): View {
  const shown = pick(
    toChannelView(channel),
    ...(['code', 'adapter', 'base_url', 'options', 'min', 'max', 'hold_above', 'priority', 'status'] as const),
  );
  const address = newCallbackUrl ? { callback_url: 'replaced' } : {};
  return { ...shown, credentials: withoutValues(credentials), ...address };
}
