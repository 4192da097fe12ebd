import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import { Database } from '../../database/database.js';
import { WebhookListingService } from '../../webhooks/webhook-listing.service.js';
import type { Caller } from '../access/caller.js';
import { logExport } from '../export-log.js';
import type { ConsoleDeliveryDto } from './webhook.dto.js';
import { toConsoleDeliveryDto, toDeliveryFilter } from './webhook.mapper.js';
import type { DeliveryFilterDto } from './webhook-queries.dto.js';

/** Small, because a page of a narrow filter reads many rows and must end before PostgreSQL's statement timeout. */
const PAGE = 200;

const COLUMNS: CsvColumns<ConsoleDeliveryDto> = {
  ...membersOf<ConsoleDeliveryDto>('id created_at'),
  webhook_id: ({ webhook }) => webhook.id,
  url: ({ webhook }) => webhook.url,
  merchant_id: ({ merchant }) => merchant.id,
  merchant: ({ merchant }) => merchant.name,
  ...membersOf<ConsoleDeliveryDto>('event_id event order_number reference_id status'),
  attempts: ({ attempt_count }) => attempt_count,
  response_status: ({ last_attempt: last }) => last?.response_status ?? null,
  error: ({ last_attempt: last }) => last?.error ?? null,
  duration_ms: ({ last_attempt: last }) => last?.duration_ms ?? null,
  ...membersOf<ConsoleDeliveryDto>('next_attempt_at updated_at'),
};

/** Deliveries as CSV. */
@Injectable()
export class DeliveryExportService {
  constructor(
    private readonly database: Database,
    private readonly listing: WebhookListingService,
  ) {}

  async write(caller: Caller, given: DeliveryFilterDto, response: Response): Promise<void> {
    const filter = toDeliveryFilter(given);
    const pages = everyPage(async (cursor) => {
      const page = await this.listing.deliveries(filter, { cursor, limit: PAGE });
      return { ...page, data: page.data.map((each) => toConsoleDeliveryDto(each, caller)) };
    });
    await answerCsv(response, 'deliveries.csv', COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'deliveries', filter: given, lines }),
    );
  }
}
