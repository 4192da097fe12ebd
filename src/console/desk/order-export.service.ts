import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { recordAction } from '../../audit-log/audit-log.js';
import { toCsv, type CsvCell } from '../../core/csv.js';
import { Database } from '../../database/database.js';
import { OrderDesk } from '../../support/order-desk.service.js';
import type { Caller } from '../access/caller.js';
import { DeskService } from './desk.service.js';
import type { ListedOrderDto } from './order.dto.js';
import { toListedOrderDto } from './order.mapper.js';
import type { OrderFilterDto } from './order-queries.dto.js';

const MAX_LINES = 1_000_000;
const PAGE = 1_000;
/** By which Excel knows UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

const COLUMNS: Record<string, (order: ListedOrderDto) => CsvCell> = {
  order_number: ({ order_number }) => order_number,
  merchant_id: ({ merchant }) => merchant.id,
  merchant: ({ merchant }) => merchant.name,
  reference_id: ({ reference_id }) => reference_id,
  user_id: ({ user_id }) => user_id,
  server_id: ({ server_id }) => server_id,
  character_id: ({ character_id }) => character_id,
  items: ({ items }) => items.map(({ sku, quantity }) => `${quantity} ${sku}`).join('; '),
  status: ({ status }) => status,
  total_amount: ({ total_amount }) => total_amount,
  failure_code: ({ failure_code }) => failure_code,
  created_at: ({ created_at }) => created_at,
  ended_at: ({ ended_at }) => ended_at,
};

/** Orders as CSV, page by page: never more than a page is in memory. */
@Injectable()
export class OrderExport {
  constructor(
    private readonly database: Database,
    private readonly desk: OrderDesk,
    private readonly questions: DeskService,
  ) {}

  /** Logged with the lines that went out, whether or not all did. @throws BAD_REQUEST; NOT_FOUND */
  async write(caller: Caller, filter: OrderFilterDto, response: Response): Promise<void> {
    const question = await this.questions.questionOf(caller, filter);
    let lines = 0;
    const { desk } = this;
    async function* pieces(): AsyncGenerator<string> {
      yield `${BYTE_ORDER_MARK}${toCsv([Object.keys(COLUMNS)])}\n`;
      let cursor: string | undefined;
      do {
        const page = await desk.page({ ...question, cursor, limit: Math.min(PAGE, MAX_LINES - lines) });
        if (page.data.length === 0) return;
        lines += page.data.length;
        yield `${toCsv(page.data.map((order) => cellsOf(toListedOrderDto(order, caller))))}\n`;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && lines < MAX_LINES);
    }
    response.setHeader('Content-Disposition', 'attachment; filename="orders.csv"');
    response.type('text/csv');
    try {
      await pipeline(Readable.from(pieces()), response);
    } catch (error) {
      // Whoever went away gets no answer.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    } finally {
      await this.log(caller, filter, lines);
    }
  }

  private log(caller: Caller, filter: OrderFilterDto, lines: number): Promise<void> {
    return this.database.transaction((tx) => {
      const detail = { list: 'orders', filter: { ...filter }, lines };
      recordAction(tx, caller.actor(), { action: 'export.run', detail });
      return Promise.resolve();
    });
  }
}

const cellsOf = (order: ListedOrderDto): CsvCell[] => Object.values(COLUMNS).map((cellOf) => cellOf(order));
