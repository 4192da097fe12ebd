import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { optionalBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { CHANNEL_ADAPTERS } from '../../deposits/channels/adapters.js';
import { VendorListsService } from '../../deposits/vendor-lists.service.js';
import { ChannelsService } from '../../deposits/channels.service.js';
import type { ChannelStatus, DepositChannel } from '../../deposits/deposit-channel.entity.js';
import { countLines } from '../../deposits/statements/rows.js';
import { StatementRefused } from '../../deposits/statements/statement-refused.js';
import { StatementsService } from '../../deposits/statements/statements.service.js';
import type { ImportResult } from '../../deposits/statements/import-result.js';
import { toChannelView, toImportResult, toImportView, toRefusal } from '../../deposits/views.js';
import type { Caller } from '../access/caller.js';
import { valuesOf } from '../filters.js';
import { newestFirst } from '../lists.js';
import type {
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
  SyncedChannelDto,
} from './channel.dto.js';

/** A larger file needs more time than a request has. */
const MAX_LINES = 20_000;
const MAX_PROBLEMS = 100;

/** Channels and their bank statements. Operators confirm changes, because these decide who is paid and what is booked. */
@Injectable()
export class ChannelViewsService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly statements: StatementsService,
    private readonly lists: VendorListsService,
  ) {}

  /** All channels on one page: they are few. */
  async list(caller: Caller): Promise<Page<ChannelDto>> {
    const [channels, imports] = await Promise.all([this.channels.list(), this.statements.listLastImports()]);
    return { data: channels.map((channel) => this.toDto(channel, imports, caller)), next_cursor: null };
  }

  adapters(): ChannelAdaptersDto {
    return {
      data: CHANNEL_ADAPTERS.map(({ description }) => ({
        ...pick(description, 'adapter', 'name'),
        base_url: description.baseUrl,
        credentials: description.credentials.map((each) => pick(each, 'name', 'secret', 'required', 'help')),
        options: description.options.map(({ values, ...option }) => ({
          ...pick(option, 'name', 'help'),
          values: values === null ? null : [...values],
        })),
      })),
    };
  }

  /** @throws NOT_FOUND */
  async show(caller: Caller, code: string): Promise<ChannelDto> {
    const [channel, imports] = await Promise.all([this.channels.get(code), this.statements.listLastImports()]);
    return this.toDto(channel, imports, caller);
  }

  /** @throws FORBIDDEN until the operator confirms; BAD_REQUEST; CONFLICT, with CHANGED_MEANWHILE. */
  async set(caller: Caller, code: string, given: SetChannelDto): Promise<ChannelDto> {
    const { adapter, options, credentials, min, max, priority, hold_above: holdAbove, status } = given;
    const { base_url: baseUrl, new_callback_url: newCallbackUrl, expected_updated_at: at } = given;
    const limits = { min: optionalBaht(min), max: optionalBaht(max), holdAbove: optionalBaht(holdAbove) };
    const named = { ...(options && { options }), ...(credentials && { credentials }) };
    const changes = { code, adapter, baseUrl, newCallbackUrl, priority, status, ...limits, ...named };
    const by = caller.confirmedActor(given.reason);
    await this.channels.set(changes, by, { updatedAt: at ? new Date(at) : null });
    return this.show(caller, code);
  }

  /** @throws FORBIDDEN until the operator confirms; NOT_FOUND */
  async setStatus(caller: Caller, code: string, status: ChannelStatus, reason?: string): Promise<ChannelDto> {
    const by = caller.confirmedActor(reason);
    const { adapter } = await this.channels.get(code);
    await this.channels.set({ code, adapter, status }, by);
    return this.show(caller, code);
  }

  /** @throws FORBIDDEN until the operator confirms; NOT_FOUND; CONFLICT while anything refers to it. */
  async remove(caller: Caller, code: string, reason?: string): Promise<RemovedChannelDto> {
    await this.channels.remove(code, caller.confirmedActor(reason));
    return { code };
  }

  /** @throws NOT_FOUND */
  async test(code: string): Promise<ChannelTestDto> {
    const checks = await this.channels.test(code);
    return { ok: checks.every(({ ok }) => ok), checks };
  }

  /** @throws NOT_FOUND; BAD_REQUEST without a list; SERVICE_UNAVAILABLE if the list can't be read to its end. */
  async sync(code: string, since?: string): Promise<SyncedChannelDto> {
    const { takenBack: taken_back, ...counts } = await this.lists.sync(code, since ? new Date(since) : undefined);
    return { ...counts, taken_back };
  }

  /** Newest first. @throws BAD_REQUEST for an invalid cursor. */
  listStatements({ channel, ...page }: StatementsQueryDto): Promise<Page<StatementDto>> {
    return newestFirst(
      page,
      (before, limit) => this.statements.list({ channels: valuesOf(channel), before, limit }),
      (row) => toImportView(row) as unknown as StatementDto,
    );
  }

  /** Reports what an import would do. @throws NOT_FOUND; BAD_REQUEST; PAYLOAD_TOO_LARGE */
  preview(
    { channel, accept_texts_of: changedTextsOn }: PreviewStatementDto,
    file: Buffer,
  ): Promise<StatementImportDto> {
    return read(channel, file, () => this.statements.preview(channel, file, { changedTextsOn }));
  }

  /** @throws as {@link preview}; FORBIDDEN until the operator confirms. */
  import(caller: Caller, query: ImportStatementDto, file: Buffer): Promise<StatementImportDto> {
    const { channel, accept_texts_of: changedTextsOn, reason } = query;
    const by = caller.confirmedActor(reason);
    return read(channel, file, () => this.statements.import(channel, file, by, { changedTextsOn }));
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

  /** The settings may be of another version of the adapter: the list shows the channel all the same. */
  private capabilitiesOf(channel: DepositChannel): Pick<ChannelDto, 'has_statements' | 'can_sync'> {
    try {
      const { adapter, settings } = this.channels.connect(channel);
      return { has_statements: settings.statement !== null, can_sync: adapter.list !== undefined };
    } catch {
      return { has_statements: false, can_sync: false };
    }
  }
}

/** A refused file is an answer, which names each problem. */
async function read(code: string, file: Buffer, take: () => Promise<ImportResult>): Promise<StatementImportDto> {
  if (countLines(file) > MAX_LINES) {
    const message = `The file has more than ${MAX_LINES} lines: import it by the command line`;
    throw new AppError('PAYLOAD_TOO_LARGE', message);
  }
  try {
    const result = toImportResult(await take()) as unknown as StatementImportDto;
    return { ...result, problems: [], changed_texts_of: null };
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error;
    const refused = toRefusal(code, error.code) as unknown as StatementImportDto;
    return { ...refused, problems: error.problems.slice(0, MAX_PROBLEMS), changed_texts_of: error.changedTextsOn };
  }
}
