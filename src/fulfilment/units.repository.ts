import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import type { ClaimRequest, WorkTable } from '../queues/leased-work.js';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { CLAIM_UNITS, type ClaimedUnit } from './claim.sql.js';
import * as sql from './units.sql.js';
import type { PostponedUnit } from './units.sql.js';

export type { ClaimedUnit } from './claim.sql.js';
export type { PostponedUnit } from './units.sql.js';

type Claim = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit' | 'claim'>;
type UndecidedCalls = Parameters<typeof sql.POSTPONE_UNITS.with>[0]['calls'];

/** Units as work: who may act on each, and when it is due. Settling them is the business of orders. */
@Injectable()
export class UnitsRepository implements WorkTable<ClaimedUnit> {
  constructor(
    private readonly database: Database,
    private readonly registry: SupplierRegistry,
  ) {}

  /** Takes due units and commits the intent to act on each. @param clockLimit as {@link WorkerHeartbeatService.clockLimit}. */
  claim({ partitions, total, name }: ClaimRequest, clockLimit: Date): Promise<ClaimedUnit[]> {
    const suppliers = partitions.map(({ id, slots }) => ({ supplier_id: id, free_slots: slots }));
    const { adapters } = this.registry;
    const asked = { suppliers, adapters, total, name, leaseMarginMs: LEASE_MARGIN_MS, clockLimit };
    return this.database.query<ClaimedUnit>(...CLAIM_UNITS.with(asked));
  }

  /** Records outcomes that settle nothing. @returns the units whose claims still held. */
  postpone(tx: Transaction, calls: UndecidedCalls, reviewAfterMs: bigint): Promise<PostponedUnit[]> {
    return tx.query<PostponedUnit>(...sql.POSTPONE_UNITS.with({ calls, reviewAfterMs }));
  }

  /** Keeps a claim whose answer could not be recorded yet. */
  async renew(claim: Claim, forMs: number): Promise<void> {
    await this.database.query(...sql.RENEW_CLAIM.with({ ...claim, forMs }));
  }

  /** Leaves a unit to the operator, if the claim still holds. */
  review(tx: Transaction, claim: Claim): void {
    tx.write(...sql.REVIEW_UNIT.with(claim));
  }

  findOverdue(): Promise<{ id: number }[]> {
    return this.database.query<{ id: number }>(sql.FIND_OVERDUE);
  }

  undoClaim(claim: Claim): Promise<unknown> {
    return this.database.query(...sql.UNDO_CLAIM.with(claim));
  }

  async undoClaims(names: string[], agoMs: number): Promise<void> {
    const lost = { names, agoMs: BigInt(Math.ceil(agoMs)) };
    await this.database.query(...sql.UNDO_CLAIMS.with(lost));
    await this.database.query(...sql.UNDO_INTERRUPTED.with(lost));
  }

  takeOverClaims(processes: string[]): Promise<unknown> {
    return this.database.query(...sql.TAKE_OVER_UNITS.with({ processes, withGaps: this.withGaps() }));
  }

  pullBack(limit: number): Promise<unknown[]> {
    return this.database.query(...sql.PULL_BACK_UNITS.with({ limit }));
  }

  private withGaps(): string[] {
    return this.registry.adapters.filter(({ min_gap_ms }) => min_gap_ms > 0).map(({ adapter }) => adapter);
  }
}
