import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import { ReplicaReads } from '../database/replica-reads.js';
import { inSnapshot, withLongTimeout } from '../database/snapshot.js';
import type { Transfer } from '../wallet/transfer.entity.js';
import { COUNT_ARCHIVED } from './archived-orders.sql.js';

@Injectable()
export class ArchivedOrdersRepository {
  constructor(private readonly reads: ReplicaReads) {}

  /** Archived orders of which money moved in a time, its end excluded. @param kinds of these movements. */
  async count(range: { start: Date; stop: Date }, kinds: Transfer['kind'][]): Promise<number> {
    const [statement, values] = COUNT_ARCHIVED.with({ ...range, kinds });
    const [counted] = await inSnapshot(this.reads, (tx) =>
      tx.query<{ orders: bigint }>(withLongTimeout(statement), values),
    );
    return Number(present(counted, 'a count has a row').orders);
  }
}
