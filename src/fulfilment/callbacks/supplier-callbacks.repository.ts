import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Inquiry } from '../../suppliers/supplier-adapter.js';
import type { SupplierCallback } from './supplier-callback.entity.js';
import * as sql from './supplier-callbacks.sql.js';
import type { FoundAttempt } from './supplier-callbacks.sql.js';

export type { FoundAttempt } from './supplier-callbacks.sql.js';

/** Names of a purchase: ours, the supplier's, or both. */
export interface PurchaseNames {
  reference: string | null;
  supplierReference: string | null;
}

type NewCallback = Omit<SupplierCallback, 'id' | 'received_at'>;

/** What suppliers called us with, and the attempts that it is about. */
@Injectable()
export class SupplierCallbacksRepository {
  constructor(private readonly database: Database) {}

  /**
   * The attempt that goes by our reference; where none is given, by the supplier's own.
   * @returns null where there is none, or where it is not certain which.
   */
  async findAttempt(supplierId: number, names: PurchaseNames): Promise<FoundAttempt | null> {
    const reference = names.reference ?? names.supplierReference;
    if (reference === null) return null;
    const find = names.reference === null ? sql.FIND_ATTEMPT_BY_THEIRS : sql.FIND_ATTEMPT;
    const found = await this.database.query<FoundAttempt>(...find.with({ supplierId, reference }));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** Whether a callback of this delivery id has come before. */
  async hasDelivery(supplierId: number, deliveryId: string): Promise<boolean> {
    const found = await this.database.query(...sql.FIND_DELIVERY.with({ supplierId, deliveryId }));
    return found.length > 0;
  }

  /**
   * Has the supplier asked about an open attempt as soon as it may be.
   * @returns in how many milliseconds; null where that is decided already, or nothing is to be asked.
   */
  async wake(attempt: FoundAttempt, minGapMs: number): Promise<number | null> {
    const values = { ...attempt, minGapMs: BigInt(minGapMs) };
    const [woken] = await this.database.query<{ due_in_ms: number }>(...sql.WAKE_UNIT.with(values));
    return woken?.due_in_ms ?? null;
  }

  /**
   * Has the supplier asked about an open attempt that it proves to have, where that was to be sent.
   * @returns as {@link wake}.
   */
  async doubt(attempt: FoundAttempt, { minGapMs, mayBuy }: Inquiry): Promise<number | null> {
    const values = { ...attempt, minGapMs: BigInt(minGapMs), whileSending: !mayBuy };
    const [doubted] = await this.database.query<{ due_in_ms: number }>(...sql.DOUBT_UNIT.with(values));
    return doubted?.due_in_ms ?? null;
  }

  /** @returns its number. */
  async record(callback: NewCallback): Promise<bigint | undefined> {
    const [recorded] = await this.database.query<{ id: bigint }>(...sql.RECORD_CALLBACK.with(callback));
    return recorded?.id;
  }

  /** Removes some of those that are older than so many days. @returns how many. */
  async removeOld(days: number, limit: number): Promise<number> {
    const removed = await this.database.query(...sql.REMOVE_OLD_CALLBACKS.with({ days, limit }));
    return removed.length;
  }
}
