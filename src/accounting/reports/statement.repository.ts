import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import { Database, type Queryable, type Statement } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { EntryRow } from '../../wallet/entries.js';
import type { Transfer } from '../../wallet/transfer.entity.js';
import { statement } from '../../database/parameters.js';
import { archived } from '../../wallet/wallet.sql.js';
import { AVAILABLE } from './daily-report.sql.js';

/** $1: a month such as 2026-10, $2: its time zone. */
const READ_MONTH: Statement = {
  name: 'report.month',
  text: `SELECT ($1 || '-01')::timestamp AT TIME ZONE $2 AS start,
                (($1 || '-01')::timestamp + interval '1 month') AT TIME ZONE $2 AS stop, statement_timestamp() AS now`,
};

const BEGINS = `coalesce($2::timestamptz, '-infinity')`;
const ENDS = `coalesce($3::timestamptz, 'infinity')`;

/**
 * $1: merchant, $2: from, $3: to. Balances are sums of movements, not the last movement's `available_after`, so that the opening
 * balance plus the movements is always the closing balance, even after the clock was set back.
 */
const READ_BOUNDS: Statement = {
  name: 'statement.bounds',
  text: `
    SELECT coalesce(sum(${AVAILABLE}) FILTER (WHERE created_at < ${BEGINS}), 0)::bigint AS opening,
           coalesce(sum(${AVAILABLE}) FILTER (WHERE created_at < ${ENDS}), 0)::bigint AS closing,
           min(id) FILTER (WHERE created_at >= ${BEGINS} AND created_at < ${ENDS}) AS first,
           max(id) FILTER (WHERE created_at >= ${BEGINS} AND created_at < ${ENDS}) AS last
    FROM transfers WHERE merchant_id = $1 AND kind <> 'order_spend'`,
};

const LINE = `
  t.id, t.kind, t.amount, t.available_after, coalesce(o.reference_id, t.reference, ${archived('reference_id')}) AS reference_id,
  coalesce(o.order_number, ${archived('order_number')}) AS order_number, t.created_at, t.reference, t.note, t.operator, t.approved_by`;

const page = (order: 'ASC' | 'DESC'): string => `
  SELECT ${LINE}
  FROM transfers t LEFT JOIN orders o ON o.id = t.order_id
  WHERE t.merchant_id = $1 AND t.kind <> 'order_spend' AND t.created_at >= ${BEGINS} AND t.created_at < ${ENDS}
    AND t.id BETWEEN $4 AND $5
  ORDER BY t.id ${order} LIMIT $6`;

/** $1: merchant, $2: from, $3: to, $4: first id, $5: last id, $6: how many. */
const PAGE_FORWARDS: Statement = { name: 'statement.page_forwards', text: page('ASC') };

const PAGE_BACKWARDS: Statement = { name: 'statement.page_backwards', text: page('DESC') };

/** All lines before an id, newest first. */
export const LATEST = statement(
  'statement.latest',
  { merchantId: 'int', before: 'bigint', limit: 'int' },
  ({ merchantId, before, limit }) => `
    SELECT ${LINE} FROM transfers t LEFT JOIN orders o ON o.id = t.order_id
    WHERE t.merchant_id = ${merchantId} AND t.kind <> 'order_spend' AND t.id < ${before}
    ORDER BY t.id DESC LIMIT ${limit}`,
);

/**
 * Only the credits and debits before an id, newest first. The index of references finds these movements, which are few. Sorting
 * by an expression keeps PostgreSQL from reading all of the merchant's movements by id.
 */
export const LATEST_CREDITS_AND_DEBITS = statement(
  'statement.latest_credits_and_debits',
  { merchantId: 'int', before: 'bigint', limit: 'int' },
  ({ merchantId, before, limit }) => `
    SELECT ${LINE} FROM transfers t LEFT JOIN orders o ON o.id = t.order_id
    WHERE t.merchant_id = ${merchantId} AND t.reference IS NOT NULL AND t.id < ${before}
    ORDER BY t.id + 0 DESC LIMIT ${limit}`,
);

/** An entry with the columns that only operators see. `reference` is the transfer's own; `reference_id` may be the order's. */
export type StatementRow = EntryRow & Pick<Transfer, 'reference' | 'note' | 'operator' | 'approved_by'>;

/** A merchant and a period: `from` is inclusive, `to` exclusive. */
export interface StatementRange {
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

  async readBounds(tx: Queryable, { merchantId, from, to }: StatementRange): Promise<Bounds> {
    const [bounds] = await tx.query<Bounds>(withLongTimeout(READ_BOUNDS), [merchantId, from, to]);
    return present(bounds, 'a sum has a row');
  }

  /** Reads the start and the end of a month such as 2026-10. */
  async readMonth(month: string, timezone: string): Promise<{ start: Date; stop: Date; now: Date }> {
    const values = [month, timezone];
    const [read] = await this.database.query<{ start: Date; stop: Date; now: Date }>(READ_MONTH, values);
    return present(read, 'the query has one row');
  }

  /** Newest first. @param before exclusive. */
  latest(merchantId: number, creditsAndDebitsOnly: boolean, before: bigint, limit: number): Promise<StatementRow[]> {
    const latest = creditsAndDebitsOnly ? LATEST_CREDITS_AND_DEBITS : LATEST;
    return this.database.query<StatementRow>(...latest.with({ merchantId, before, limit }));
  }

  /** Movements between two ids, both included. */
  page(
    on: Queryable,
    { merchantId, from, to }: StatementRange,
    { low, high, isForwards, limit }: { low: bigint; high: bigint; isForwards: boolean; limit: number },
  ): Promise<StatementRow[]> {
    const page = isForwards ? PAGE_FORWARDS : PAGE_BACKWARDS;
    return on.query<StatementRow>(page, [merchantId, from, to, low, high, limit]);
  }
}
