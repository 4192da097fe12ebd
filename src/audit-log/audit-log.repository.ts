import { Injectable } from '@nestjs/common';
import { formatBaht } from '../core/money.js';
import { Database } from '../database/database.js';
import { AuditLogEntry } from './audit-log-entry.entity.js';
import type { AuditedAction } from './audit-log.js';
import { HISTORY_OF_PRODUCT } from './audit-log.sql.js';

/** Something that an operator did. */
export interface LogEntry {
  id: number;
  created_at: string;
  operator: string;
  /** Where it was done. */
  source: 'cli' | 'console';
  /** From which address, where it was done in the console. */
  ip: string | null;
  request_id: string | null;
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

/** Which entries are asked for; what is not given may be anything. */
export interface LogFilter {
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** As the log names them. */
  operator?: string | undefined;
  /** Of this account of the console only: anybody may call themselves anything at the command line. */
  operatorId?: number | undefined;
  source?: LogEntry['source'] | undefined;
  merchantId?: number | undefined;
  orderNumber?: string | undefined;
  action?: AuditedAction | undefined;
  /** What was done about this supplier, by its code, or about its offers. */
  supplier?: string | undefined;
  /** Only entries before this one. */
  before?: bigint | undefined;
  limit: number;
}

/** Ids rise with the time, but for those who write at the same moment. */
const MARGIN = 1_000;

/** Of which the detail says which supplier they are about: those that its index has. */
const SUPPLIER_ACTIONS = `entry.action IN (
  'supplier.set', 'supplier.remove', 'supplier.pause', 'supplier.resume', 'supplier.sync', 'offer.set', 'offer.remove')`;

/** With the ids of a time, an index that goes by ids alone is not read past that time. */
const CONDITIONS = {
  since: `entry.created_at >= :since AND entry.id >=
    (SELECT id FROM operator_actions WHERE created_at >= :since ORDER BY created_at LIMIT 1) - ${MARGIN}`,
  until: `entry.created_at < :until AND entry.id <=
    (SELECT id FROM operator_actions WHERE created_at < :until ORDER BY created_at DESC LIMIT 1) + ${MARGIN}`,
  operator: 'entry.operator = :operator',
  operatorId: 'entry.operator_id = :operatorId',
  source: 'entry.source = :source',
  merchantId: 'entry.merchant_id = :merchantId',
  orderNumber: 'entry.order_id = (SELECT id FROM orders WHERE order_number = :orderNumber)',
  action: 'entry.action = :action',
  supplier: `${SUPPLIER_ACTIONS} AND coalesce(entry.detail ->> 'code', entry.detail ->> 'supplier') = :supplier`,
  before: 'entry.id < :before',
} satisfies Record<Exclude<keyof LogFilter, 'limit'>, string>;

/** What operators did to money, units and settings. The database refuses to change or remove any of it. */
@Injectable()
export class AuditLogRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list({ limit, ...filter }: LogFilter): Promise<LogEntry[]> {
    const query = this.database.manager
      .createQueryBuilder(AuditLogEntry, 'entry')
      .leftJoin('orders', 'placed', 'placed.id = entry.order_id')
      .addSelect('placed.order_number', 'order_number')
      .orderBy('entry.id', 'DESC')
      .limit(limit);
    for (const name of Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])
      if (filter[name] !== undefined) query.andWhere(CONDITIONS[name], { [name]: filter[name] });
    const { entities, raw } = await query.getRawAndEntities<{ order_number: string | null }>();
    return entities.map((entry, index) => toLogEntry(entry, raw[index]?.order_number ?? null));
  }

  /** What an operator did by a request that their page calls so; null when they have done nothing by it. */
  findByKey(operatorId: number, idempotencyKey: string): Promise<AuditLogEntry | null> {
    return this.database.manager.findOneBy(AuditLogEntry, {
      operator_id: operatorId,
      idempotency_key: idempotencyKey,
    });
  }

  /**
   * What was done to a product, newest first; of many that were changed at once, the whole entry.
   * @param operatorId by whom; by anybody where it is null.
   */
  ofProduct(
    sku: string,
    { operatorId, limit }: { operatorId: number | null; limit: number },
  ): Promise<ProductAction[]> {
    return this.database.query<ProductAction>(...HISTORY_OF_PRODUCT.with({ sku, operatorId, limit }));
  }
}

/** An entry that is about a product, as it is kept. */
export type ProductAction = Pick<AuditLogEntry, 'id' | 'created_at' | 'operator' | 'action' | 'merchant_id' | 'detail'>;

function toLogEntry({ id, created_at, detail, ...row }: AuditLogEntry, orderNumber: string | null): LogEntry {
  const { reference = null, reason = null, note = null, ...known } = detail;
  // A note says why where nothing else does.
  const rest = reason === null || note === null ? known : { ...known, note };
  return {
    id: Number(id),
    created_at: created_at.toISOString(),
    operator: row.operator,
    source: row.source,
    ip: row.ip,
    request_id: row.request_id,
    action: row.action,
    merchant_id: row.merchant_id,
    order_number: orderNumber,
    reference: reference as string | null,
    reason: (reason ?? note) as string | null,
    // Until version 0.1 a wallet's movement was kept in satang.
    detail: typeof rest.amount === 'number' ? { ...rest, amount: formatBaht(BigInt(rest.amount)) } : rest,
  };
}
