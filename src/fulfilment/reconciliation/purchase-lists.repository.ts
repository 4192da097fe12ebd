import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { ListPlace, Supplier } from '../../suppliers/supplier.entity.js';
import { RECORD_LISTED, RECORD_PLACE, TAKE_DUE_LISTS } from './purchase-lists.sql.js';

export type DueList = Pick<Supplier, 'code' | 'purchases_listed_at' | 'purchases_place'> & {
  /** By the database's clock. */
  now: Date;
};

/** Until when suppliers were asked for what they sold us. A database that was restored goes on from where it was then. */
@Injectable()
export class PurchaseListsRepository {
  constructor(private readonly database: Database) {}

  /** @returns those that are due to be asked; no other process gets them within the interval. */
  takeDue(adapters: string[], intervalMs: number): Promise<DueList[]> {
    return this.database.query<DueList>(...TAKE_DUE_LISTS.with({ adapters, intervalMs: BigInt(intervalMs) }));
  }

  /** Notes that it was asked for all that it sold until then. */
  async record({ id, adapter, base_url: baseUrl }: Supplier, listedAt: Date): Promise<void> {
    await this.database.query(...RECORD_LISTED.with({ id, adapter, baseUrl, listedAt }));
  }

  /** Notes from which page on the list is read next; null for from its beginning. */
  async recordPlace({ id }: Supplier, place: ListPlace | null): Promise<void> {
    await this.database.query(...RECORD_PLACE.with({ id, place: place && JSON.stringify(place) }));
  }
}
