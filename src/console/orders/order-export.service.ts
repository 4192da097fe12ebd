import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Database } from '../../database/database.js';
import { OrderOverviewService } from '../../support/order-overview.service.js';
import type { Caller } from '../access/caller.js';
import { answerCsv, everyPage, logExport, type CsvColumns } from '../csv-answer.js';
import { ConsoleOrdersService } from './console-orders.service.js';
import type { ListedOrderDto } from './order.dto.js';
import { toListedOrderDto } from './order.mapper.js';
import type { OrderFilterDto } from './order-queries.dto.js';

const PAGE = 1_000;

const COLUMNS: CsvColumns<ListedOrderDto> = {
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

/** Orders as CSV, page by page. */
@Injectable()
export class OrderExportService {
  constructor(
    private readonly database: Database,
    private readonly overview: OrderOverviewService,
    private readonly questions: ConsoleOrdersService,
  ) {}

  /** Logged with the lines that went out, whether or not all did. @throws BAD_REQUEST; NOT_FOUND */
  async write(caller: Caller, filter: OrderFilterDto, response: Response): Promise<void> {
    const question = await this.questions.questionOf(caller, filter);
    const pages = everyPage(async (cursor) => {
      const page = await this.overview.page({ ...question, cursor, limit: PAGE });
      return { ...page, data: page.data.map((order) => toListedOrderDto(order, caller)) };
    });
    await answerCsv(response, 'orders.csv', COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'orders', filter, lines }),
    );
  }
}
