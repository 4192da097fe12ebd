import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { SecretBox } from '../core/secret-box.js';
import { changeTogether, openTogether } from '../suppliers/supplier-credentials.service.js';
import { SupplierHttp } from '../suppliers/supplier-http.js';
import { missingProblem, type Changes } from '../suppliers/supplier-settings.js';
import { CHANNEL_ADAPTERS, describeChannelAdapter } from './channels/adapters.js';
import type { ChannelAdapter, ChannelSettings } from './channels/channel-adapter.js';
import { channelPlace, type DepositChannel } from './deposit-channel.entity.js';

/** The columns with a channel's credentials. */
export type ChannelCredentials = Pick<DepositChannel, 'credentials_sealed' | 'credential_names'>;

type ConnectedColumns = Pick<DepositChannel, 'code' | 'adapter' | 'base_url' | 'options' | 'credentials_sealed'>;

/** A channel's adapter, with the settings that the adapter has read. */
export interface ChannelConnection {
  adapter: ChannelAdapter;
  settings: ChannelSettings;
}

/** Connects each channel with its adapter. */
@Injectable()
export class ChannelRegistry implements OnApplicationShutdown {
  private readonly http = new SupplierHttp();
  private readonly adapters = new Map(
    CHANNEL_ADAPTERS.map((Adapter) => [Adapter.description.adapter, new Adapter(this.http)]),
  );

  constructor(private readonly secretBox: SecretBox) {}

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

  /** Seals credentials. Those that the changes do not name stay. @throws Error if they cannot be opened. */
  changeCredentials(code: string, before: ChannelCredentials, changes: Changes): ChannelCredentials {
    const place = channelPlace('credentials_sealed', code);
    return { ...before, ...changeTogether(this.secretBox, before, place, changes) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}
