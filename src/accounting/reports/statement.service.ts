import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import type { Satang } from '../../core/money.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, toPage, type Page } from '../../core/pagination.js';
import { ReplicaReadsService, type ReadServer } from '../../database/replica-reads.service.js';
import { inSnapshot } from '../../database/snapshot.js';
import { StatementRepository, type Bounds, type StatementRow, type StatementRange } from './statement.repository.js';

export type { StatementRow } from './statement.repository.js';

const ROWS_AT_ONCE = 1000;

/** Months of a statement begin in this time zone. */
export const ACCOUNT_STATEMENT_TIMEZONE = 'Asia/Bangkok';

/** `from` is inclusive, `to` exclusive. */
export interface Period {
  from?: Date;
  to?: Date;
}

/** A merchant's available balance over a period. */
export interface AccountStatement {
  opening: Satang;
  closing: Satang;
  /** The movements of this balance in the period, in pages. */
  pages: (order: 'oldest first' | 'newest first') => AsyncGenerator<StatementRow[]>;
}

/** Account statements of merchants, for operators. */
@Injectable()
export class AccountStatementService {
  constructor(
    private readonly reads: ReplicaReadsService,
    private readonly statements: StatementRepository,
  ) {}

  /**
   * Reads the balances in one snapshot, and then the movements in pages up to the snapshot's last one. The pages need no open
   * transaction, because movements never change, and each new movement of a wallet has a higher id.
   * @param server where to read: the primary, if the latest movements must not be missing.
   */
  async read(
    merchantId: number,
    { from, to }: Period,
    server: ReadServer = this.reads.together(),
  ): Promise<AccountStatement> {
    const range = { merchantId, from: from ?? null, to: to ?? null };
    const bounds = await inSnapshot(server, (tx) => this.statements.readBounds(tx, range));
    const { opening, closing } = bounds;
    return {
      opening,
      closing,
      pages: (order) => this.pages(server, range, bounds, order === 'oldest first'),
    };
  }

  /** Returns a page of movements of the available balance, newest first. @throws BAD_REQUEST for a bad cursor. */
  async latest<Line>(
    merchantId: number,
    {
      creditsAndDebitsOnly,
      cursor,
      limit,
    }: { creditsAndDebitsOnly: boolean; cursor: string | undefined; limit: number },
    toLine: (row: StatementRow) => Line,
  ): Promise<Page<Line>> {
    const before = decodeCursor(cursor, [MAX_BIGINT])?.[0] ?? MAX_BIGINT;
    const rows = await this.statements.latest(merchantId, creditsAndDebitsOnly, before, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toLine);
  }

  /** @param month such as 2026-10. @throws BAD_REQUEST for a month that has not begun. */
  async month(month: string): Promise<Required<Period>> {
    const read = await this.statements.readMonth(month, ACCOUNT_STATEMENT_TIMEZONE);
    if (read.start > read.now) {
      const message = `${month} has not begun in ${ACCOUNT_STATEMENT_TIMEZONE}: choose the current month or an earlier one`;
      throw new AppError('BAD_REQUEST', message);
    }
    return { from: read.start, to: read.stop };
  }

  private async *pages(
    server: ReadServer,
    range: StatementRange,
    { first, last }: Bounds,
    isForwards: boolean,
  ): AsyncGenerator<StatementRow[]> {
    if (first === null || last === null) return;
    for (let [low, high] = [first, last]; low <= high;) {
      const rows = await this.statements.page(server, range, { low, high, isForwards, limit: ROWS_AT_ONCE });
      const end = rows.at(-1);
      if (end) yield rows;
      if (!end || rows.length < ROWS_AT_ONCE) return;
      if (isForwards) low = end.id + 1n;
      else high = end.id - 1n;
    }
  }
}
