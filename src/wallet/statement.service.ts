import { Injectable } from '@nestjs/common';
import {
  decodeCursor,
  encodeCursor,
  MAX_BIGINT,
  pageLimit,
  toPage,
  type Page,
  type PageQuery,
} from '../core/pagination.js';
import type { Statement } from '../database/database.js';
import { Reads } from '../database/reads.js';
import { toEntry, type EntryRow, type WalletEntry } from './entries.js';

const PAGE: Statement = {
  name: 'transfers.statement',
  text: `SELECT t.id, t.kind, t.amount, t.available_after, coalesce(o.reference_id, t.reference) AS reference_id,
                o.order_number, t.created_at
         FROM transfers t LEFT JOIN orders o ON o.id = t.order_id
         WHERE t.merchant_id = $1 AND t.kind <> 'order_spend' AND t.id < coalesce($2::bigint, ${MAX_BIGINT})
         ORDER BY t.id DESC LIMIT $3`,
};

/** The statement of a merchant's available balance: every movement into and out of it. */
@Injectable()
export class StatementService {
  constructor(private readonly reads: Reads) {}

  /** Newest first. @throws BAD_REQUEST for a bad cursor */
  async list(merchantId: number, query: PageQuery): Promise<Page<WalletEntry>> {
    const limit = pageLimit(query);
    const before = decodeCursor(query.cursor, [MAX_BIGINT])?.[0] ?? null;
    const rows = await this.reads.query<EntryRow>(PAGE, [merchantId, before, limit + 1]);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toEntry);
  }
}
