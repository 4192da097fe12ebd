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
import { toEntry, type WalletEntry } from './entries.js';
import { WalletsRepository } from './wallets.repository.js';

/** Lists the entries of a merchant's wallet: every movement into and out of its available balance. */
@Injectable()
export class WalletEntriesService {
  constructor(private readonly wallets: WalletsRepository) {}

  /** Newest first. @throws BAD_REQUEST for a bad cursor */
  async list(merchantId: number, query: PageQuery): Promise<Page<WalletEntry>> {
    const limit = pageLimit(query);
    const before = decodeCursor(query.cursor, [MAX_BIGINT])?.[0] ?? null;
    const rows = await this.wallets.listEntries(merchantId, before, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toEntry);
  }
}
