import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AuditLogRepository, type LogEntry, type LogFilter } from '../../audit-log/audit-log.repository.js';
import { invalidRequest } from '../../core/errors.js';
import { readMoment } from '../../core/moments.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, pageLimit, toPage, type Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { readsOwnActionsOnly } from '../../operators/roles.js';
import type { Caller } from '../access/caller.js';
import { answerCsv, logExport, type CsvColumns } from '../csv-answer.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';
import type { LogEntryDto, LogFilterDto, LogQueryDto } from './log.dto.js';

const CSV_PAGE = 1_000;

const COLUMNS: CsvColumns<LogEntryDto> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  operator: ({ operator }) => operator,
  source: ({ source }) => source,
  ip: ({ ip }) => ip,
  action: ({ action }) => action,
  merchant_id: ({ merchant }) => merchant?.id ?? null,
  merchant: ({ merchant }) => merchant?.name ?? null,
  order_number: ({ order_number }) => order_number,
  reference: ({ reference }) => reference,
  reason: ({ reason }) => reason,
  detail: ({ detail }) => JSON.stringify(detail),
  request_id: ({ request_id }) => request_id,
};

/** What operators did, as far as the caller may know. */
@Injectable()
export class LogService {
  constructor(
    private readonly database: Database,
    private readonly log: AuditLogRepository,
    private readonly merchants: MerchantsService,
  ) {}

  /** Newest first. @throws BAD_REQUEST */
  async list(caller: Caller, { limit: asked, cursor, ...given }: LogQueryDto): Promise<Page<LogEntryDto>> {
    const limit = pageLimit({ limit: asked }, CONSOLE_LIMIT);
    const before = decodeCursor(cursor, [MAX_BIGINT])?.[0];
    const rows = await this.log.list({ ...filterOf(caller, given), before, limit: limit + 1 });
    const toDto = await this.mapper();
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toDto);
  }

  /** Stands in the log itself, with the lines that went out. @throws BAD_REQUEST */
  async export(caller: Caller, given: LogFilterDto, response: Response): Promise<void> {
    const pages = this.pages(filterOf(caller, given));
    await answerCsv(response, 'log.csv', COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'log', filter: given, lines }),
    );
  }

  private async *pages(filter: Omit<LogFilter, 'limit' | 'before'>): AsyncGenerator<LogEntryDto[]> {
    const toDto = await this.mapper();
    let before: bigint | undefined;
    for (;;) {
      const rows = await this.log.list({ ...filter, before, limit: CSV_PAGE });
      yield rows.map(toDto);
      const last = rows.at(-1);
      if (!last || rows.length < CSV_PAGE) return;
      before = BigInt(last.id);
    }
  }

  /** Merchants are few: their names are read at once. */
  private async mapper(): Promise<(entry: LogEntry) => LogEntryDto> {
    const names = new Map((await this.merchants.list()).map(({ id, name }) => [id, name]));
    return ({ created_at: at, merchant_id: id, ...entry }) => ({
      ...entry,
      at,
      merchant: id === null ? null : { id, name: names.get(id) ?? '' },
    });
  }
}

/** Whoever may read only what they did is not told what others did, whatever they filter by. */
function filterOf(
  caller: Caller,
  { operator, source, action, merchant, order, supplier, from, to }: LogFilterDto,
): Omit<LogFilter, 'limit' | 'before'> {
  const [since, until] = [readOptional(from), readOptional(to)];
  if (since && until && since >= until) {
    const message = 'to must be later than from';
    throw invalidRequest([{ field: 'to', code: 'INVALID_VALUE', message }]);
  }
  const asked = {
    operator,
    source,
    action,
    supplier,
    since,
    until,
    orderNumber: order,
    merchantId: merchant === undefined ? undefined : Number(merchant),
  };
  if (!readsOwnActionsOnly(caller.session.role)) return asked;
  // By the name as well: that is what the index has.
  return { ...asked, operator: operator ?? caller.session.email, operatorId: caller.id };
}

const readOptional = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : (readMoment(text) ?? undefined);
