import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { recordAction } from '../../audit-log/audit-log.js';
import { Database } from '../../database/database.js';
import { OrderDesk, type DeskQuestion } from '../../support/order-desk.service.js';
import type { Caller } from '../access/caller.js';
import { answerCsv, type CsvColumns } from '../csv-answer.js';
import { DeskService } from './desk.service.js';
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
export class OrderExport {
  constructor(
    private readonly database: Database,
    private readonly desk: OrderDesk,
    private readonly questions: DeskService,
  ) {}

  /** Logged with the lines that went out, whether or not all did. @throws BAD_REQUEST; NOT_FOUND */
  async write(caller: Caller, filter: OrderFilterDto, response: Response): Promise<void> {
    const question = await this.questions.questionOf(caller, filter);
    const pages = this.pages(caller, question);
    await answerCsv(response, 'orders.csv', COLUMNS, pages, (lines) => this.log(caller, filter, lines));
  }

  private async *pages(
    caller: Caller,
    question: Omit<DeskQuestion, 'limit' | 'cursor'>,
  ): AsyncGenerator<ListedOrderDto[]> {
    let cursor: string | undefined;
    do {
      const page = await this.desk.page({ ...question, cursor, limit: PAGE });
      yield page.data.map((order) => toListedOrderDto(order, caller));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  private log(caller: Caller, filter: OrderFilterDto, lines: number): Promise<void> {
    return this.database.transaction((tx) => {
      const detail = { list: 'orders', filter: { ...filter }, lines };
      recordAction(tx, caller.actor(), { action: 'export.run', detail });
      return Promise.resolve();
    });
  }
}
