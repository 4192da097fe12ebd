import { Injectable } from '@nestjs/common';
import { formatBaht } from '../core/money.js';
import { Database } from '../database/database.js';
import { AuditLogEntry } from './audit-log-entry.entity.js';
import type { AuditedAction } from './audit-log.js';

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
  action?: AuditedAction;
  limit: number;
}

/** What operators did to money, units and settings. The database refuses to change or remove any of it. */
@Injectable()
export class AuditLogRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list({ since, until, merchantId, action, limit }: LogFilter): Promise<LogEntry[]> {
    const query = this.database.manager
      .createQueryBuilder(AuditLogEntry, 'entry')
      .leftJoin('orders', 'placed', 'placed.id = entry.order_id')
      .addSelect('placed.order_number', 'order_number')
      .orderBy('entry.id', 'DESC')
      .limit(limit);
    if (since) query.andWhere('entry.created_at >= :since', { since });
    if (until) query.andWhere('entry.created_at < :until', { until });
    if (merchantId !== undefined) query.andWhere('entry.merchant_id = :merchantId', { merchantId });
    if (action) query.andWhere('entry.action = :action', { action });
    const { entities, raw } = await query.getRawAndEntities<{ order_number: string | null }>();
    return entities.map((entry, index) => toLogEntry(entry, raw[index]?.order_number ?? null));
  }
}

function toLogEntry({ id, created_at, detail, ...row }: AuditLogEntry, orderNumber: string | null): LogEntry {
  const { reference = null, reason = null, note = null, ...known } = detail;
  // A note says why where nothing else does.
  const rest = reason === null || note === null ? known : { ...known, note };
  return {
    id: Number(id),
    created_at: created_at.toISOString(),
    operator: row.operator,
    action: row.action,
    merchant_id: row.merchant_id,
    order_number: orderNumber,
    reference: reference as string | null,
    reason: (reason ?? note) as string | null,
    // Until version 0.1 a wallet's movement was kept in satang.
    detail: typeof rest.amount === 'number' ? { ...rest, amount: formatBaht(BigInt(rest.amount)) } : rest,
  };
}
