import { Injectable } from '@nestjs/common';
import { formatBaht } from '../core/money.js';
import { pick } from '../core/members.js';
import { Database } from '../database/database.js';
import { AuditLogEntry } from './audit-log-entry.entity.js';
import type { AuditedAction } from './audit-log.js';
import { HISTORY_OF_PRODUCT } from './audit-log.sql.js';

const COPIED = ['operator', 'source', 'ip', 'request_id', 'action', 'merchant_id'] as const;

/** One action of an operator. */
export interface LogEntry extends Pick<AuditLogEntry, (typeof COPIED)[number]> {
  id: number;
  created_at: string;
  order_number: string | null;
  /** The reference that the operator entered; null if the action has none. */
  reference: string | null;
  /** The reason or the note that the operator entered; null if there is none. */
  reason: string | null;
  /** All further facts; amounts are strings in baht. */
  detail: Record<string, unknown>;
}

/** An absent member matches every entry. */
export interface LogFilter {
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** The operator's name in the log. */
  operator?: string | undefined;
  /** Selects actions of one console account. The command line does not verify names. */
  operatorId?: number | undefined;
  sources?: LogEntry['source'][] | undefined;
  merchantIds?: number[] | undefined;
  orderNumber?: string | undefined;
  actions?: AuditedAction[] | undefined;
  /** The codes of suppliers: selects actions on the suppliers, without tests, and on their offers. */
  suppliers?: string[] | undefined;
  /** Matches entries with a lower id. */
  before?: bigint | undefined;
  limit: number;
}

/** Ids rise with the time, except within this distance: of two concurrent statements, the later may get a lower id. */
const MARGIN = 1_000;

/**
 * The actions that the filter by supplier selects. `supplier.test` also names a supplier, but is not one of them.
 * The list must equal the one of the index `ix_operator_actions_supplier`.
 */
const SUPPLIER_ACTIONS = `entry.action IN (
  'supplier.set', 'supplier.remove', 'supplier.pause', 'supplier.resume', 'supplier.sync', 'offer.set', 'offer.remove')`;

/** `since` and `until` also limit the ids, so that a scan of an index by id stops at the end of the period. */
const CONDITIONS = {
  since: `entry.created_at >= :since AND entry.id >=
    (SELECT id FROM operator_actions WHERE created_at >= :since ORDER BY created_at LIMIT 1) - ${MARGIN}`,
  until: `entry.created_at < :until AND entry.id <=
    (SELECT id FROM operator_actions WHERE created_at < :until ORDER BY created_at DESC LIMIT 1) + ${MARGIN}`,
  operator: 'entry.operator = :operator',
  operatorId: 'entry.operator_id = :operatorId',
  sources: 'entry.source IN (:...sources)',
  merchantIds: 'entry.merchant_id IN (:...merchantIds)',
  orderNumber: 'entry.order_id = (SELECT id FROM orders WHERE order_number = :orderNumber)',
  actions: 'entry.action IN (:...actions)',
  suppliers: `${SUPPLIER_ACTIONS} AND coalesce(entry.detail ->> 'code', entry.detail ->> 'supplier') IN (:...suppliers)`,
  before: 'entry.id < :before',
} satisfies Record<Exclude<keyof LogFilter, 'limit'>, string>;

/** Reads the audit log of operators' actions. The database refuses to change or remove entries. */
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

  /** The action of an earlier request with this idempotency key; null if there is none. */
  findByKey(operatorId: number, idempotencyKey: string): Promise<AuditLogEntry | null> {
    return this.database.manager.findOneBy(AuditLogEntry, {
      operator_id: operatorId,
      idempotency_key: idempotencyKey,
    });
  }

  /**
   * Actions on a product, newest first. The entry of an action on many products contains all of them.
   * @param operatorId null for all operators.
   */
  ofProduct(
    sku: string,
    { operatorId, limit }: { operatorId: number | null; limit: number },
  ): Promise<ProductAction[]> {
    return this.database.query<ProductAction>(...HISTORY_OF_PRODUCT.with({ sku, operatorId, limit }));
  }
}

/** An action on a product, as the table has it. */
export type ProductAction = Pick<AuditLogEntry, 'id' | 'created_at' | 'operator' | 'action' | 'merchant_id' | 'detail'>;

function toLogEntry({ id, created_at, detail, ...row }: AuditLogEntry, orderNumber: string | null): LogEntry {
  const { reference = null, reason = null, note = null, ...known } = detail;
  // A note counts as the reason if there is no other.
  const rest = reason === null || note === null ? known : { ...known, note };
  return {
    id: Number(id),
    created_at: created_at.toISOString(),
    ...pick(row, ...COPIED),
    order_number: orderNumber,
    reference: reference as string | null,
    reason: (reason ?? note) as string | null,
    // Entries before version 0.1 have amounts in satang.
    detail: typeof rest.amount === 'number' ? { ...rest, amount: formatBaht(BigInt(rest.amount)) } : rest,
  };
}
