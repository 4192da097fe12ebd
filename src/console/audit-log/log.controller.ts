import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { AuditedAction } from '../../audit-log/audit-log.js';
import { AuditLogRepository, type LogEntry, type LogFilter } from '../../audit-log/audit-log.repository.js';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import { checkedPeriod } from '../../core/moments.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, toPage, type Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { readsOwnActionsOnly } from '../../operators/roles.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { logExport } from '../export-log.js';
import { idsOf, valuesOf } from '../filters.js';
import { pageOf } from '../lists.js';
import { LogEntryDto, LogFilterDto, LogQueryDto } from './log.dto.js';

const CSV_PAGE = 1_000;

const COLUMNS: CsvColumns<LogEntryDto> = {
  ...membersOf<LogEntryDto>('id at operator source ip action'),
  merchant_id: ({ merchant }) => merchant?.id ?? null,
  merchant: ({ merchant }) => merchant?.name ?? null,
  ...membersOf<LogEntryDto>('order_number reference reason'),
  detail: ({ detail }) => JSON.stringify(detail),
  request_id: ({ request_id }) => request_id,
};

/** The audit log, as far as the caller may read it. */
@ApiTags('Log')
@Controller('api')
export class LogController {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLogRepository,
    private readonly merchants: MerchantsService,
  ) {}

  @Get('log')
  @ConsoleRoute('log.read', 'Actions of operators, newest first', [LogEntryDto], {
    description: 'Operators of the roles support and catalog see only their own actions.',
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query() { limit, cursor, ...filter }: LogQueryDto,
  ): Promise<Page<LogEntryDto>> {
    return this.listPage(filterOf(caller, filter), pageOf({ limit, cursor }));
  }

  @Get('log.csv')
  @ConsoleRoute('exports.run', 'The same as CSV, at most 1,000,000 lines', 'csv', {
    description: 'The audit log records the export, with the filters and the number of lines.',
  })
  async export(
    @CurrentCaller() caller: Caller,
    @Query() filter: LogFilterDto,
    @Res() response: Response,
  ): Promise<void> {
    const request = filterOf(caller, filter);
    const pages = everyPage((cursor) => this.listPage(request, { cursor, limit: CSV_PAGE }));
    await answerCsv(response, 'log.csv', COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'log', filter, lines }),
    );
  }

  private async listPage(
    filter: Omit<LogFilter, 'limit' | 'before'>,
    { limit, cursor }: ReturnType<typeof pageOf>,
  ): Promise<Page<LogEntryDto>> {
    const before = decodeCursor(cursor, [MAX_BIGINT])?.[0];
    const rows = await this.auditLog.list({ ...filter, before, limit: limit + 1 });
    return toPage(rows, limit, ({ id }) => encodeCursor(id), await this.mapper());
  }

  /** Reads all names at once: merchants are few. */
  private async mapper(): Promise<(entry: LogEntry) => LogEntryDto> {
    const names = new Map((await this.merchants.list()).map(({ id, name }) => [id, name]));
    return ({ created_at: at, merchant_id: id, ...entry }) => ({
      ...entry,
      at,
      merchant: id === null ? null : { id, name: names.get(id) ?? '' },
    });
  }
}

/** Operators of some roles may read only their own actions: then no filter matches the actions of other operators. */
function filterOf(
  caller: Caller,
  { operator, source, action, merchant, order, supplier, ...period }: LogFilterDto,
): Omit<LogFilter, 'limit' | 'before'> {
  const { from: since, to: until } = checkedPeriod(period);
  const filter = {
    operator,
    sources: valuesOf<'console' | 'cli'>(source),
    actions: valuesOf<AuditedAction>(action),
    suppliers: valuesOf(supplier),
    since,
    until,
    orderNumber: order,
    merchantIds: idsOf(merchant),
  };
  if (!readsOwnActionsOnly(caller.session.role)) return filter;
  // The index has the operator's name, so the filter needs the name besides the id.
  return { ...filter, operator: operator ?? caller.session.email, operatorId: caller.id };
}
