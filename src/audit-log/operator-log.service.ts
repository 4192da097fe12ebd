import { Injectable } from '@nestjs/common';
import { formatBaht } from '../core/money.js';
import { Database, type Statement } from '../database/database.js';
import type { OperatorActionName } from './operator-actions.js';

/** Something that an operator did. */
export interface LogEntry {
  id: number;
  created_at: string;
  operator: string;
  action: string;
  merchant_id: number | null;
  order_number: string | null;
  /** What the operator calls it, where the action has a reference. */
  reference: string | null;
  /** Why, where that was said. */
  reason: string | null;
  /** What else is known of it; amounts are strings in baht. */
  detail: Record<string, unknown>;
}

export interface LogFilter {
  since?: Date;
  /** Exclusive. */
  until?: Date;
  merchantId?: number;
  action?: OperatorActionName;
  limit: number;
}

interface LogRow {
  id: bigint;
  created_at: Date;
  operator: string;
  action: string;
  merchant_id: number | null;
  order_number: string | null;
  detail: Record<string, unknown>;
}

/** $1 since, $2 until, $3 merchant, $4 action, $5 how many. */
const LIST: Statement = {
  name: 'operator_log.list',
  text: `SELECT a.id, a.created_at, a.operator, a.action, a.merchant_id, o.order_number, a.detail
         FROM operator_actions a LEFT JOIN orders o ON o.id = a.order_id
         WHERE a.created_at >= coalesce($1::timestamptz, '-infinity')
           AND a.created_at < coalesce($2::timestamptz, 'infinity')
           AND ($3::int IS NULL OR a.merchant_id = $3)
           AND ($4::text IS NULL OR a.action = $4)
         ORDER BY a.id DESC LIMIT $5`,
};

/** What operators did to money, units and settings. The database refuses to change or remove any of it. */
@Injectable()
export class OperatorLog {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list({ since, until, merchantId, action, limit }: LogFilter): Promise<LogEntry[]> {
    const values = [since ?? null, until ?? null, merchantId ?? null, action ?? null, limit];
    return (await this.database.query<LogRow>(LIST, values)).map(toEntry);
  }
}

function toEntry({ id, created_at, detail, ...row }: LogRow): LogEntry {
  const { reference = null, reason = null, note = null, ...known } = detail;
  // A note says why where nothing else does.
  const rest = reason === null || note === null ? known : { ...known, note };
  return {
    id: Number(id),
    created_at: created_at.toISOString(),
    operator: row.operator,
    action: row.action,
    merchant_id: row.merchant_id,
    order_number: row.order_number,
    reference: reference as string | null,
    reason: (reason ?? note) as string | null,
    // A wallet's movement is kept in satang.
    detail: typeof rest.amount === 'number' ? { ...rest, amount: formatBaht(BigInt(rest.amount)) } : rest,
  };
}
