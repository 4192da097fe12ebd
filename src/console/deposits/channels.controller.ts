import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathText } from '../access/parameters.js';
import { CsvBody, TakesCsv } from '../catalog/csv-body.js';
import { OptionalReasonDto, ReasonDto } from '../reason.dto.js';
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

const ChannelCode = (): ParameterDecorator =>
  PathText('code', 'channel', 'kbank', (text) => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(text));

const CONFIRMED = { description: 'Asks for confirmation.' };
const FILE = '`refused` has the code of a refusal, such as `GAP`: nothing of a refused file is imported.';

@ApiTags('Deposits')
@Controller('api/channels')
export class ConsoleChannelsController {
  constructor(private readonly channels: ChannelViewsService) {}

  @Get()
  @ConsoleRoute('deposits.read', 'All channels of deposits, in the order in which deposits get them', [ChannelDto])
  list(@CurrentCaller() caller: Caller): Promise<Page<ChannelDto>> {
    return this.channels.list(caller);
  }

  @Get('adapters')
  @ConsoleRoute('deposits.read', 'The adapters of channels, with the options of each', ChannelAdaptersDto)
  adapters(): ChannelAdaptersDto {
    return this.channels.adapters();
  }

  @Get(':code')
  @ConsoleRoute('deposits.read', 'A channel', ChannelDto)
  show(@CurrentCaller() caller: Caller, @ChannelCode() code: string): Promise<ChannelDto> {
    return this.channels.show(caller, code);
  }

  @Put(':code')
  @ConsoleRoute('channels.set', 'Add a channel, or change its settings', ChannelDto, {
    description:
      'Asks for confirmation. Members that are not given stay as they are. 409 CHANGED_MEANWHILE if the channel has changed since ' +
      '`expected_updated_at`; 409 also if deposits or statements depend on what changes.',
  })
  set(@CurrentCaller() caller: Caller, @ChannelCode() code: string, @Body() body: SetChannelDto): Promise<ChannelDto> {
    return this.channels.set(caller, code, body);
  }

  @Delete(':code')
  @ConsoleRoute('channels.set', 'Remove a channel that no deposit and no statement needs', RemovedChannelDto, CONFIRMED)
  remove(
    @CurrentCaller() caller: Caller,
    @ChannelCode() code: string,
    @Query() { reason }: OptionalReasonDto,
  ): Promise<RemovedChannelDto> {
    return this.channels.remove(caller, code, reason);
  }

  @Post(':code/pause')
  @ConsoleRoute('channels.set', 'Take no new deposits on a channel', ChannelDto, {
    description: 'Asks for confirmation. Payments of earlier deposits are still booked.',
  })
  pause(
    @CurrentCaller() caller: Caller,
    @ChannelCode() code: string,
    @Body() { reason }: ReasonDto,
  ): Promise<ChannelDto> {
    return this.channels.setStatus(caller, code, 'inactive', reason);
  }

  @Delete(':code/pause')
  @ConsoleRoute('channels.set', 'Take new deposits on a channel again', ChannelDto, CONFIRMED)
  resume(@CurrentCaller() caller: Caller, @ChannelCode() code: string): Promise<ChannelDto> {
    return this.channels.setStatus(caller, code, 'active');
  }

  @Post(':code/test')
  @ConsoleRoute('channels.set', 'Check a channel’s settings. It creates nothing', ChannelTestDto)
  test(@ChannelCode() code: string): Promise<ChannelTestDto> {
    return this.channels.test(code);
  }

  @Post(':code/sync')
  @ConsoleRoute(
    'payments.decide',
    'Read the vendor’s list of payments, and book those that no callback reported',
    SyncedChannelDto,
    { description: '503 if the vendor does not answer. What was read before then is booked.' },
  )
  sync(@ChannelCode() code: string, @Body() { since }: SyncChannelDto): Promise<SyncedChannelDto> {
    return this.channels.sync(code, since);
  }
}

/** Paths that take a file as their body. */
export const STATEMENT_PATHS = ['/api/statements/preview', '/api/statements/import'];

@ApiTags('Deposits')
@Controller('api/statements')
export class ConsoleStatementsController {
  constructor(private readonly channels: ChannelViewsService) {}

  @Get()
  @ConsoleRoute('deposits.read', 'Imported bank statements, newest first', [StatementDto])
  list(@Query() query: StatementsQueryDto): Promise<Page<StatementDto>> {
    return this.channels.listStatements(query);
  }

  @Post('preview')
  @TakesCsv()
  @ConsoleRoute('statements.import', 'What an import of a statement would do. Imports nothing', StatementImportDto, {
    description: `At most 5 MiB and 20,000 lines. ${FILE}`,
  })
  preview(@Query() query: PreviewStatementDto, @CsvBody() file: Buffer): Promise<StatementImportDto> {
    return this.channels.preview(query, file);
  }

  @Post('import')
  @TakesCsv()
  @ConsoleRoute('statements.import', 'Import a bank statement, and book the payments in it', StatementImportDto, {
    description: `Asks for confirmation. At most 5 MiB and 20,000 lines. Lines that were imported before are left out. ${FILE}`,
  })
  import(
    @CurrentCaller() caller: Caller,
    @Query() query: ImportStatementDto,
    @CsvBody() file: Buffer,
  ): Promise<StatementImportDto> {
    return this.channels.import(caller, query, file);
  }
}
