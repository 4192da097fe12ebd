import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { refusal } from '../../core/errors.js';
import type { Page } from '../../core/pagination.js';
import { CHANNEL_ADAPTERS } from '../../deposits/channels/adapters.js';
import { ChannelsService } from '../../deposits/channels.service.js';
import type { ChannelStatus } from '../../deposits/deposit-channel.entity.js';
import { StatementsService } from '../../deposits/statements/statements.service.js';
import { VendorListsService } from '../../deposits/vendor-lists.service.js';
import { toImportView } from '../../deposits/views.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathText } from '../access/parameters.js';
import { CsvBody, TakesCsv } from '../catalog/csv-body.js';
import { valuesOf } from '../filters.js';
import { newestFirst } from '../lists.js';
import { OptionalReasonDto, ReasonDto } from '../reason.dto.js';
import { toSettingsDto } from '../suppliers/supplier.mapper.js';
import { ChannelViewsService } from './channel-views.service.js';
import {
  ChannelAdaptersDto,
  ChannelDto,
  ChannelTestDto,
  ImportStatementDto,
  PreviewStatementDto,
  RemovedChannelDto,
  SetChannelDto,
  StatementDto,
  StatementImportDto,
  StatementsQueryDto,
  SyncChannelDto,
  SyncedChannelDto,
} from './channel.dto.js';
import { toChannelChanges, toImportDto, toSyncStart } from './channel.mapper.js';

const ChannelCode = (): ParameterDecorator =>
  PathText('code', 'channel', 'kbank', (text) => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(text));

const CONFIRMED = { description: 'Asks for confirmation.' };
const FILE =
  '`refused` has the code of a refusal, such as `GAP`. Nothing of a refused file is imported, unless another import ran meanwhile.';

/** Channels of deposits. Operators confirm changes, because these decide who is paid. */
@ApiTags('Deposits')
@Controller('api/channels')
export class ConsoleChannelsController {
  constructor(
    private readonly channels: ChannelsService,
    private readonly lists: VendorListsService,
    private readonly views: ChannelViewsService,
  ) {}

  @Get()
  @ConsoleRoute('deposits.read', 'All channels of deposits, in the order in which deposits get them', [ChannelDto])
  list(@CurrentCaller() caller: Caller): Promise<Page<ChannelDto>> {
    return this.views.list(caller);
  }

  @Get('adapters')
  @ConsoleRoute('deposits.read', 'The adapters of channels, with the options of each', ChannelAdaptersDto)
  adapters(): ChannelAdaptersDto {
    return { data: CHANNEL_ADAPTERS.map(({ description }) => toSettingsDto(description)) };
  }

  @Get(':code')
  @ConsoleRoute('deposits.read', 'A channel', ChannelDto)
  show(@CurrentCaller() caller: Caller, @ChannelCode() code: string): Promise<ChannelDto> {
    return this.views.show(caller, code);
  }

  @Put(':code')
  @ConsoleRoute('channels.set', 'Add a channel, or change its settings', ChannelDto, {
    description:
      'Asks for confirmation. Members that are not given stay as they are. 409 CHANGED_MEANWHILE if the channel has changed since ' +
      '`expected_updated_at`; 409 also if deposits or statements depend on what changes.',
  })
  async set(
    @CurrentCaller() caller: Caller,
    @ChannelCode() code: string,
    @Body() body: SetChannelDto,
  ): Promise<ChannelDto> {
    const { expected_updated_at: at, reason } = body;
    const by = caller.confirmedActor(reason);
    await this.channels.set(toChannelChanges(code, body), by, { updatedAt: at ? new Date(at) : null });
    return this.views.show(caller, code);
  }

  @Delete(':code')
  @ConsoleRoute('channels.set', 'Remove a channel that no deposit and no statement needs', RemovedChannelDto, CONFIRMED)
  async remove(
    @CurrentCaller() caller: Caller,
    @ChannelCode() code: string,
    @Query() { reason }: OptionalReasonDto,
  ): Promise<RemovedChannelDto> {
    await this.channels.remove(code, caller.confirmedActor(reason));
    return { code };
  }

  @Post(':code/pause')
  @ConsoleRoute('channels.set', 'Make a channel inactive: it accepts no new deposits', ChannelDto, {
    description: 'Asks for confirmation. Payments of earlier deposits are still booked.',
  })
  pause(
    @CurrentCaller() caller: Caller,
    @ChannelCode() code: string,
    @Body() { reason }: ReasonDto,
  ): Promise<ChannelDto> {
    return this.setStatus(caller, code, 'inactive', reason);
  }

  @Delete(':code/pause')
  @ConsoleRoute('channels.set', 'Make an inactive channel active again', ChannelDto, {
    description:
      'Asks for confirmation. A pause by the service stays until a probe succeeds or the credentials change.',
  })
  resume(@CurrentCaller() caller: Caller, @ChannelCode() code: string): Promise<ChannelDto> {
    return this.setStatus(caller, code, 'active');
  }

  @Post(':code/test')
  @ConsoleRoute('channels.set', 'Check a channel’s settings without creating anything', ChannelTestDto)
  async test(@ChannelCode() code: string): Promise<ChannelTestDto> {
    const checks = await this.channels.test(code);
    return { ok: checks.every(({ ok }) => ok), checks };
  }

  @Post(':code/sync')
  @ConsoleRoute(
    'payments.decide',
    'Read the vendor’s list of payments, and book payments that no callback reported',
    SyncedChannelDto,
    {
      description:
        'Payments of at most 31 days. 429 while the list is being read already. 503 if the vendor does not answer: what was read ' +
        'before then is booked.',
    },
  )
  async sync(
    @CurrentCaller() caller: Caller,
    @ChannelCode() code: string,
    @Body() { since }: SyncChannelDto,
  ): Promise<SyncedChannelDto> {
    const { takenBack: taken_back, ...counts } = await this.lists.sync(code, caller.actor(), toSyncStart(since));
    return { ...counts, taken_back };
  }

  private async setStatus(caller: Caller, code: string, status: ChannelStatus, reason?: string): Promise<ChannelDto> {
    const by = caller.confirmedActor(reason);
    await this.channels.set({ code, status }, by);
    return this.views.show(caller, code);
  }
}

/** Paths that take a file as their body. */
export const STATEMENT_PATHS = ['/api/statements/preview', '/api/statements/import'];

@ApiTags('Deposits')
@Controller('api/statements')
export class ConsoleStatementsController {
  constructor(private readonly statements: StatementsService) {}

  @Get()
  @ConsoleRoute('deposits.read', 'Imported bank statements, newest first', [StatementDto])
  list(@Query() { channel, ...page }: StatementsQueryDto): Promise<Page<StatementDto>> {
    return newestFirst(
      page,
      (before, limit) => this.statements.list({ channels: valuesOf(channel), before, limit }),
      (row) => toImportView(row) as unknown as StatementDto,
    );
  }

  @Post('preview')
  @TakesCsv()
  @ConsoleRoute('statements.import', 'What an import of a statement would do. Imports nothing', StatementImportDto, {
    description: `At most 5 MiB and 20,000 lines. ${FILE}`,
  })
  preview(
    @Query() { channel, accept_texts_of: changedTextsOn }: PreviewStatementDto,
    @CsvBody() file: Buffer,
  ): Promise<StatementImportDto> {
    return toImportDto(channel, file, () => this.statements.preview(channel, file, { changedTextsOn }));
  }

  @Post('import')
  @TakesCsv()
  @ConsoleRoute('statements.import', 'Import a bank statement, and book the payments in it', StatementImportDto, {
    description: `Asks for confirmation. At most 5 MiB and 20,000 lines. Lines that were imported before are left out. ${FILE}`,
  })
  import(
    @CurrentCaller() caller: Caller,
    @Query() { channel, accept_texts_of: changedTextsOn, reason }: ImportStatementDto,
    @CsvBody() file: Buffer,
  ): Promise<StatementImportDto> {
    if (changedTextsOn !== undefined && reason === undefined)
      throw refusal('BAD_REQUEST', 'REQUIRED', 'reason', 'reason is required with accept_texts_of');
    const by = caller.confirmedActor(reason);
    return toImportDto(channel, file, () => this.statements.import(channel, file, by, { changedTextsOn }));
  }
}
