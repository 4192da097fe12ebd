import { Injectable } from '@nestjs/common';
import type { Page } from '../../core/pagination.js';
import { ChannelsService } from '../../deposits/channels.service.js';
import type { DepositChannel } from '../../deposits/deposit-channel.entity.js';
import { StatementsService } from '../../deposits/statements/statements.service.js';
import { toChannelView } from '../../deposits/views.js';
import type { Caller } from '../access/caller.js';
import type { ChannelDto } from './channel.dto.js';

/** Channels as operators see them. */
@Injectable()
export class ChannelViewsService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly statements: StatementsService,
  ) {}

  /** All channels on one page: they are few. */
  async list(caller: Caller): Promise<Page<ChannelDto>> {
    const [channels, imports] = await Promise.all([this.channels.list(), this.statements.listLastImports()]);
    return { data: channels.map((channel) => this.toDto(channel, imports, caller)), next_cursor: null };
  }

  /** @throws NOT_FOUND */
  async show(caller: Caller, code: string): Promise<ChannelDto> {
    const [channel, imports] = await Promise.all([this.channels.get(code), this.statements.listLastImports()]);
    return this.toDto(channel, imports, caller);
  }

  private toDto(channel: DepositChannel, imports: ReadonlyMap<number, Date>, caller: Caller): ChannelDto {
    const view = toChannelView(channel, this.channels.callbackUrlOf(channel)) as unknown as ChannelDto;
    return {
      ...view,
      callback_url: caller.may('channels.set') ? view.callback_url : null,
      ...this.capabilitiesOf(channel),
      imported_at: imports.get(channel.id)?.toISOString() ?? null,
      updated_at: channel.updated_at.toISOString(),
    };
  }

  /** Operators must also see a channel whose settings or credentials can't be read. */
  private capabilitiesOf(channel: DepositChannel): Pick<ChannelDto, 'has_statements' | 'can_sync'> {
    try {
      const { adapter, settings } = this.channels.connect(channel);
      return { has_statements: settings.statement !== null, can_sync: adapter.list !== undefined };
    } catch {
      return { has_statements: false, can_sync: false };
    }
  }
}
