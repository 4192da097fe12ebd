import { Injectable } from '@nestjs/common';
import type { Failure } from '../core/failures.js';
import { Database, type Transaction } from '../database/database.js';
import type { UnitKey } from '../orders/order.rows.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import * as sql from './attempts.sql.js';
import type { NextAttempt } from './attempts.sql.js';

export type { NextAttempt } from './attempts.sql.js';

export type EndedRow = Parameters<typeof sql.BEGIN_NEXT_ATTEMPTS.with>[0]['ended'][number];
export type NotedRow = Parameters<typeof sql.NOTE_ATTEMPTS.with>[0]['attempts'][number];

/** How often a supplier that asked for it is tried again under another reference. */
const MAX_RETRIES = 2;

/** Attempts to buy units. */
@Injectable()
export class AttemptsRepository {
  constructor(
    private readonly database: Database,
    private readonly registry: SupplierRegistry,
  ) {}

  /**
   * Ends attempts and begins others, where there is something to try.
   * @param deadlineMs how long after the unit's first attempt another one may begin.
   * @returns those that begin.
   */
  beginNext(tx: Transaction, ended: EndedRow[], deadlineMs: bigint): Promise<NextAttempt[]> {
    const named = this.registry.adapters.filter(({ named_at_random }) => named_at_random);
    const namedAtRandom = named.map(({ adapter }) => adapter);
    const given = { ended, namedAtRandom, maxRetries: MAX_RETRIES, deadlineMs };
    return tx.query<NextAttempt>(...sql.BEGIN_NEXT_ATTEMPTS.with(given));
  }

  /** Keeps what suppliers tell of attempts. */
  note(tx: Transaction, attempts: NotedRow[]): void {
    if (attempts.length > 0) tx.write(...sql.NOTE_ATTEMPTS.with({ attempts }));
  }

  /** How the attempts of a unit failed that another one followed, in their order. */
  listFailures(key: UnitKey): Promise<Failure[]> {
    return this.database.query<Failure>(...sql.FIND_FAILURES.with(key));
  }
}
