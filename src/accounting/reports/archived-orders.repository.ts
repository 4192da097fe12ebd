import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inSnapshot, withLongTimeout } from '../../database/snapshot.js';
import type { Transfer } from '../../wallet/transfer.entity.js';
import type { Coverage } from './coverage.js';
import { selectFirstIdSince } from '../../database/first-id-since.sql.js';
import { statement } from '../../database/parameters.js';

/** Around a moment, ids and times may overlap, so there is a minute on each side. */
const idBefore = (moment: string): string => `(${selectFirstIdSince('transfers', `${moment} - interval '1 minute'`)})`;
const idAfter = (moment: string): string => `(${selectFirstIdSince('transfers', `${moment} + interval '1 minute'`)})`;

/**
 * Counts archived orders with movements of these kinds in a period. Movements stay in the database when their order is archived.
 * If no partition was archived after the period began, it reads no movements, because no order of the period is archived then.
 * With a supplier, it counts all orders of each partition that refers to the supplier: only the files show which of these orders
 * refer to it.
 */
const COUNT_ARCHIVED = statement(
  'archived_orders.count',
  {
    start: 'timestamptz',
    stop: 'timestamptz',
    kinds: 'text[]',
    includeSandbox: 'boolean',
    supplierId: 'int?',
  },
  ({ start, stop, kinds, includeSandbox, supplierId }) => `
    WITH archived AS (
      SELECT coalesce(first_id, 0) AS first_id, end_id FROM archived_partitions
      WHERE state IN ('detached', 'dropped') AND coalesce(archived_at, 'infinity') > ${start}
        AND (${supplierId} IS NULL OR ${supplierId} = ANY(supplier_ids)))
    SELECT CASE WHEN EXISTS (SELECT FROM archived) THEN (
      SELECT count(DISTINCT t.order_id) FROM transfers t
      WHERE t.id >= ${idBefore(start)} AND t.id < ${idAfter(stop)} AND t.kind = ANY(${kinds})
        AND t.created_at >= ${start} AND t.created_at < ${stop}
        AND (${includeSandbox} OR NOT EXISTS (SELECT FROM merchants m WHERE m.id = t.merchant_id AND m.sandbox))
        AND EXISTS (SELECT FROM archived WHERE t.order_id >= archived.first_id AND t.order_id < archived.end_id)) ELSE 0 END AS orders`,
);

/** Which orders to count. */
export interface ArchivedCoverage extends Coverage {
  /** Counts only orders of partitions that refer to this supplier. */
  supplierId?: number | undefined;
}

@Injectable()
export class ArchivedOrdersRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  /** Counts archived orders with movements of these kinds in a period, its end excluded. */
  async count(
    range: { start: Date; stop: Date },
    kinds: Transfer['kind'][],
    { includeSandbox, supplierId }: ArchivedCoverage,
  ): Promise<number> {
    const [count, values] = COUNT_ARCHIVED.with({
      ...range,
      kinds,
      includeSandbox,
      supplierId: supplierId ?? null,
    });
    const [counted] = await inSnapshot(this.reads, (tx) =>
      tx.query<{ orders: bigint }>(withLongTimeout(count), values),
    );
    return Number(present(counted, 'a count has a row').orders);
  }
}
