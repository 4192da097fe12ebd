import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { DEPOSIT_CALLBACKS_PATH } from '../core/http/secret-path.js';
import { present } from '../core/invariant.js';
import { SecretBox, type Place } from '../core/secret-box.js';
import { CallbackAddresses } from '../suppliers/callback-addresses.service.js';
import { changeTogether, openTogether, unopened } from '../suppliers/supplier-credentials.service.js';
import { AdapterHttp } from '../suppliers/adapter-http.js';
import { keptNames, missingProblem, type Changes } from '../suppliers/supplier-settings.js';
import { CHANNEL_ADAPTERS, describeChannelAdapter } from './channels/adapters.js';
import type { ChannelAdapter, ChannelSettings } from './channels/channel-adapter.js';
import { channelPlace, type DepositChannel } from './deposit-channel.entity.js';

/** The columns with a channel's credentials. */
export type ChannelCredentials = Pick<DepositChannel, 'credentials_sealed' | 'credential_names'>;

/** The columns with a channel's settings. */
export type ConnectedColumns = Pick<DepositChannel, 'code' | 'adapter' | 'base_url' | 'options' | 'credentials_sealed'>;

/** A channel's adapter, with the settings that the adapter has read. */
export interface ChannelConnection {
  adapter: ChannelAdapter;
  settings: ChannelSettings;
}

/** A channel with its adapter, and the settings that the adapter reads. */
export interface ConnectedChannel extends ChannelConnection {
  channel: DepositChannel;
}

/** Connects each channel with its adapter. */
@Injectable()
export class ChannelRegistry implements OnApplicationShutdown {
  private readonly http = new AdapterHttp();
  private readonly adapters = new Map(
    CHANNEL_ADAPTERS.map((Adapter) => [Adapter.description.adapter, new Adapter(this.http)]),
  );

  /** The addresses at which vendors call us. */
  readonly addresses: CallbackAddresses;

  constructor(
    private readonly secretBox: SecretBox,
    @Inject(CONFIG) { supplierCallbackBaseUrl }: Config,
  ) {
    this.addresses = new CallbackAddresses(secretBox, supplierCallbackBaseUrl, DEPOSIT_CALLBACKS_PATH, (code) =>
      channelPlace('callback_token_sealed', code),
    );
  }

  /** @throws BAD_REQUEST for settings that can't work; Error if the credentials can't be opened. */
  connect(channel: ConnectedColumns): ChannelConnection {
    const { code, adapter: name, base_url: baseUrl, options } = channel;
    const description = describeChannelAdapter(name);
    const credentials = openTogether(this.secretBox, channel, channelPlace('credentials_sealed', code));
    const missing = missingProblem(description, Object.keys(credentials));
    if (missing !== null) throw new AppError('BAD_REQUEST', missing);
    const adapter = present(this.adapters.get(name), 'an adapter that is described exists');
    return { adapter, settings: adapter.readSettings({ baseUrl, credentials, options }) };
  }

  /** The token of a channel's callback address: the present one, or a new one. Null if the adapter takes no callbacks. */
  callbackToken(code: string, adapter: string, present: Buffer | null): Buffer | null {
    if (!this.adapters.get(adapter)?.callbacks) return null;
    return present ?? this.addresses.newToken(code);
  }

  /** Seals changed credentials together with the credentials that stay. @throws BAD_REQUEST if one stays and cannot be opened. */
  changeCredentials(code: string, before: ChannelCredentials, changes: Changes): ChannelCredentials {
    const place = channelPlace('credentials_sealed', code);
    const staying = keptNames(before.credential_names, changes);
    if (staying.length > 0 && !this.canOpen(before, place)) throw unopened(staying, `channel ${code}`);
    return { ...before, ...changeTogether(this.secretBox, before, place, changes) };
  }

  private canOpen(credentials: ChannelCredentials, place: Place): boolean {
    try {
      openTogether(this.secretBox, credentials, place);
      return true;
    } catch {
      return false;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}
