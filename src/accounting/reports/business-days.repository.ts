import { Injectable } from '@nestjs/common';
import { SANDBOX_SUPPLIER_ID } from '../../core/sandbox.js';
import { selectFirstIdSince } from '../../database/first-id-since.sql.js';
import { statement } from '../../database/parameters.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import type { Merchant } from '../../merchants/merchant.entity.js';
import type { Day } from './daily-report.repository.js';
import type { MarginFigures } from './margin-report.repository.js';
import { JOIN_TERMS, MARGIN_FIGURES, unitCost } from './unit-costs.sql.js';

/** The units of one product that merchants paid for during one clock hour. */
export interface SoldRow extends MarginFigures {
  /** The start of the hour. */
  at: Date;
  sku: string;
}

/** A merchant with its first order. */
export type FirstOrder = Pick<Merchant, 'id' | 'name'> & { at: Date };

/** Today and earlier days in a zone. */
const READ_DAYS = statement(
  'business_days.days',
  { zone: 'text', daysAgo: 'int[]' },
  ({ zone, daysAgo }) => `
    SELECT (today - days * interval '1 day') AT TIME ZONE ${zone} AS start,
           (today - (days - 1) * interval '1 day') AT TIME ZONE ${zone} AS stop, statement_timestamp() AS now
    FROM unnest(${daysAgo}) WITH ORDINALITY AS d(days, place)
    CROSS JOIN (SELECT date_trunc('day', statement_timestamp() AT TIME ZONE ${zone}) AS today) t
    ORDER BY place`,
);

/**
 * Reads the spend movements of a period by their ids, and the units of each order by the order's id. The OFFSET keeps
 * PostgreSQL from joining whole tables. The range of ids is a minute wider at both ends, because ids and times may be in another
 * order.
 */
export const SOLD_BY_HOUR = statement(
  'business_days.sold_by_hour',
  { from: 'timestamptz', stop: 'timestamptz' },
  ({ from, stop }) => `
    SELECT date_bin('1 hour', spent.created_at, ${from}) AS at, sku, ${MARGIN_FIGURES}
    FROM transfers spent CROSS JOIN LATERAL (
      SELECT i.sku, ${unitCost('spent.created_at')}
      FROM order_units u ${JOIN_TERMS}
      WHERE u.order_id = spent.order_id AND u.state = 'succeeded' AND u.supplier_id <> ${SANDBOX_SUPPLIER_ID}
      OFFSET 0) bought
    WHERE spent.id >= (${selectFirstIdSince('transfers', `${from} - interval '1 minute'`)})
      AND spent.id < (${selectFirstIdSince('transfers', `${stop} + interval '1 minute'`)})
      AND spent.kind = 'order_spend' AND spent.created_at >= ${from} AND spent.created_at < ${stop}
    GROUP BY 1, 2`,
);

/**
 * Reads the first order of each merchant through an index. A merchant with orders in an earlier closed month is not new, even if these orders
 * are archived.
 */
export const FIRST_ORDERS = statement(
  'business_days.first_orders',
  { since: 'timestamptz' },
  ({ since }) => `
    SELECT m.id, m.name, first.created_at AS at
    FROM merchants m CROSS JOIN LATERAL (
      SELECT created_at FROM orders WHERE merchant_id = m.id ORDER BY created_at, id LIMIT 1) first
    WHERE NOT m.sandbox AND first.created_at >= ${since} AND NOT EXISTS (
      SELECT FROM closed_wallets
      WHERE merchant_id = m.id AND holds > 0 AND month < to_char(${since} AT TIME ZONE 'UTC', 'YYYY-MM'))
    ORDER BY first.created_at DESC`,
);

const LIST_NAMES = statement(
  'business_days.names',
  { skus: 'text[]' },
  ({ skus }) => `SELECT sku, name FROM products WHERE sku = ANY (${skus})`,
);

@Injectable()
export class BusinessDaysRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  listDays(zone: string, daysAgo: number[]): Promise<Day[]> {
    return this.reads.query<Day>(...READ_DAYS.with({ zone, daysAgo }));
  }

  /** @param from the start of an hour. @param stop exclusive. */
  listSold(from: Date, stop: Date): Promise<SoldRow[]> {
    return this.reads.query<SoldRow>(...SOLD_BY_HOUR.with({ from, stop }));
  }

  /** Merchants whose first order is not older than `since`, the newest first. */
  listFirstOrders(since: Date): Promise<FirstOrder[]> {
    return this.reads.query<FirstOrder>(...FIRST_ORDERS.with({ since }));
  }

  /** Names of products by SKU. */
  async listNames(skus: string[]): Promise<Map<string, string>> {
    const rows = await this.reads.query<{ sku: string; name: string }>(...LIST_NAMES.with({ skus }));
    return new Map(rows.map(({ sku, name }) => [sku, name]));
  }
}
