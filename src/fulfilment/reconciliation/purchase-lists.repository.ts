import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { statement } from '../../database/parameters.js';
import { claimDueSuppliers } from '../../suppliers/due-suppliers.sql.js';
import type { ListPlace, Supplier } from '../../suppliers/supplier.entity.js';

/** Leaves out suppliers that are paused because they refuse our credentials or ban us: another call could prolong that pause. */
const CLAIM_DUE_LISTS = claimDueSuppliers(
  'purchase_lists.claim_due',
  'purchases_due_at',
  `(s.pause_reason IS NULL OR s.pause_reason NOT IN ('credentials', 'ban'))`,
  'code, purchases_listed_at, purchases_place, statement_timestamp() AS now',
);

/** Changes nothing if the supplier got another adapter, address or account while its list was read. */
const RECORD_LISTED = statement(
  'purchase_lists.record',
  { id: 'int', adapter: 'text', baseUrl: 'text', account: 'text', listedAt: 'timestamptz' },
  ({ id, adapter, baseUrl, account, listedAt }) => `
    UPDATE suppliers SET purchases_listed_at = ${listedAt}, purchases_place = NULL
    WHERE id = ${id} AND adapter = ${adapter} AND base_url = ${baseUrl} AND account = ${account}`,
);

const RECORD_PLACE = statement(
  'purchase_lists.record_place',
  { id: 'int', place: 'text?' },
  ({ id, place }) => `UPDATE suppliers SET purchases_place = ${place}::jsonb WHERE id = ${id}`,
);

export type DueList = Pick<Supplier, 'code' | 'purchases_listed_at' | 'purchases_place'> & {
  /** By the database's clock. */
  now: Date;
};

/** Stores how far suppliers' lists of purchases were read. After a restore, reading continues from the place in the backup. */
@Injectable()
export class PurchaseListsRepository {
  constructor(private readonly database: Database) {}

  /** @returns the suppliers whose lists are due. No other process gets the same suppliers within the interval. */
  claimDue(adapters: string[], intervalMs: number): Promise<DueList[]> {
    return this.database.query<DueList>(...CLAIM_DUE_LISTS.with({ adapters, intervalMs: BigInt(intervalMs) }));
  }

  /** Records that the list was read up to this moment. */
  async record({ id, adapter, base_url: baseUrl, account }: Supplier, listedAt: Date): Promise<void> {
    await this.database.query(...RECORD_LISTED.with({ id, adapter, baseUrl, account, listedAt }));
  }

  /** Records the page to continue from; null for the beginning. */
  async recordPlace({ id }: Supplier, place: ListPlace | null): Promise<void> {
    await this.database.query(...RECORD_PLACE.with({ id, place: place && JSON.stringify(place) }));
  }
}
