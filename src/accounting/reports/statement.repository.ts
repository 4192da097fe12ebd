import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import { Database, type Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { EntryRow } from '../../wallet/entries.js';
import type { Transfer } from '../../wallet/transfer.entity.js';
import { LATEST, LATEST_FUNDING, PAGE_BACKWARDS, PAGE_FORWARDS, READ_BOUNDS, READ_MONTH } from './statement.sql.js';

/** A line with what only the operator knows of it. */
export type StatementRow = EntryRow & Pick<Transfer, 'reference' | 'note' | 'operator' | 'approved_by'>;

/** A merchant's movements from a moment, inclusive, to another, exclusive. */
export interface Which {
  merchantId: number;
  from: Date | null;
  to: Date | null;
}

export interface Bounds {
  opening: Satang;
  closing: Satang;
  /** The ids of the first and the last movement. */
  first: bigint | null;
  last: bigint | null;
}

@Injectable()
export class StatementRepository {
  constructor(private readonly database: Database) {}

  async readBounds(tx: Queryable, { merchantId, from, to }: Which): Promise<Bounds> {
    const [bounds] = await tx.query<Bounds>(withLongTimeout(READ_BOUNDS), [merchantId, from, to]);
    return present(bounds, 'a sum has a row');
  }

  /** When a month such as 2026-10 begins and ends. */
  async readMonth(month: string, timezone: string): Promise<{ start: Date; stop: Date; now: Date }> {
    const values = [month, timezone];
    const [read] = await this.database.query<{ start: Date; stop: Date; now: Date }>(READ_MONTH, values);
    return present(read, 'a month begins and ends');
  }

  /** Newest first. @param isFunding only what operators moved. @param before exclusive. */
  latest(merchantId: number, isFunding: boolean, before: bigint, limit: number): Promise<StatementRow[]> {
    const latest = isFunding ? LATEST_FUNDING : LATEST;
    return this.database.query<StatementRow>(...latest.with({ merchantId, before, limit }));
  }

  /** Movements between two ids, both included. */
  page(
    on: Queryable,
    { merchantId, from, to }: Which,
    { low, high, isForwards, limit }: { low: bigint; high: bigint; isForwards: boolean; limit: number },
  ): Promise<StatementRow[]> {
    const page = isForwards ? PAGE_FORWARDS : PAGE_BACKWARDS;
    return on.query<StatementRow>(page, [merchantId, from, to, low, high, limit]);
  }
}
