import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inSnapshot, withLongTimeout } from '../../database/snapshot.js';
import type { Transfer } from '../../wallet/transfer.entity.js';
import { COUNT_ARCHIVED } from './archived-orders.sql.js';
import type { Coverage } from './coverage.js';

/** Of which orders. */
export interface ArchivedCoverage extends Coverage {
  /** Counts only in partitions in which this one sold anything. */
  supplierId?: number | undefined;
}

@Injectable()
export class ArchivedOrdersRepository {
  constructor(private readonly reads: ReplicaReadsService) {}

  /** Archived orders of which money moved in a time, its end excluded. @param kinds of these movements. */
  async count(
    range: { start: Date; stop: Date },
    kinds: Transfer['kind'][],
    { includeSandbox, supplierId }: ArchivedCoverage,
  ): Promise<number> {
    const [statement, values] = COUNT_ARCHIVED.with({
      ...range,
      kinds,
      includeSandbox,
      supplierId: supplierId ?? null,
    });
    const [counted] = await inSnapshot(this.reads, (tx) =>
      tx.query<{ orders: bigint }>(withLongTimeout(statement), values),
    );
    return Number(present(counted, 'a count has a row').orders);
  }
}
