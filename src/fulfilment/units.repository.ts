import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import type { ClaimRequest, WorkTable } from '../queues/leased-work.js';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';
import * as sql from './units.sql.js';
import type { ClaimedUnit, PostponedUnit } from './units.sql.js';

export type { ClaimedUnit, PostponedUnit } from './units.sql.js';

type Claim = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit' | 'claim'>;
type NamedAttempts = Parameters<typeof sql.NAME_ATTEMPTS.with>[0]['attempts'];
type UndecidedCalls = Parameters<typeof sql.POSTPONE_UNITS.with>[0]['calls'];

/** Units as work: who may act on each, and when it is due. Settling them is the business of orders. */
@Injectable()
export class UnitsRepository implements WorkTable<ClaimedUnit> {
  constructor(private readonly database: Database) {}

  /** Takes due units and commits the intent to act on each. */
  claim({ partitions, total, name }: ClaimRequest): Promise<ClaimedUnit[]> {
    const suppliers = partitions.map(({ id, slots }) => ({ supplier_id: id, free_slots: slots }));
    const asked = { suppliers, total, name, leaseMarginMs: LEASE_MARGIN_MS };
    return this.database.query<ClaimedUnit>(...sql.CLAIM_UNITS.with(asked));
  }

  /** Records outcomes that settle nothing. @returns the units whose claims still held. */
  postpone(tx: Transaction, calls: UndecidedCalls, reviewAfterMs: bigint): Promise<PostponedUnit[]> {
    return tx.query<PostponedUnit>(...sql.POSTPONE_UNITS.with({ calls, reviewAfterMs }));
  }

  /** Keeps what suppliers call the purchases that they have accepted. */
  nameAttempts(tx: Transaction, attempts: NamedAttempts): void {
    if (attempts.length > 0) tx.write(...sql.NAME_ATTEMPTS.with({ attempts }));
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

  undoClaims(names: string[]): Promise<unknown> {
    return this.database.query(...sql.UNDO_CLAIMS.with({ names }));
  }

  takeOverClaims(processes: string[]): Promise<unknown> {
    return this.database.query(...sql.TAKE_OVER_UNITS.with({ processes }));
  }

  pullBack(limit: number): Promise<unknown[]> {
    return this.database.query(...sql.PULL_BACK_UNITS.with({ limit }));
  }
}
