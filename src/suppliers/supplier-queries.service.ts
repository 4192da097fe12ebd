import { Injectable } from '@nestjs/common';
import { counted } from '../core/text.js';
import { AppError } from '../core/errors.js';
import { QUERY_GAP_MS } from './supplier-timing.js';
import { SuppliersRepository, type QueryKind } from './suppliers.repository.js';

/**
 * Limits the calls that operators make in the console. For each supplier, there is one call of a kind at a time, and at
 * least ten seconds between two calls of that kind, over all operators and processes. Suppliers may ban our account or
 * address for frequent calls, and a ban would stop sales to all merchants.
 */
@Injectable()
export class SupplierQueriesService {
  constructor(private readonly suppliers: SuppliersRepository) {}

  /** @throws TOO_MANY_REQUESTS during another call of this kind to the supplier, and for ten seconds after it. */
  async run<Answer>(kind: QueryKind, supplier: string, call: () => Promise<Answer>): Promise<Answer> {
    const lock = await this.suppliers.lockQuery(kind, supplier);
    if (lock.until === null) throw queriedJustNow(supplier, lock.wait_ms);
    try {
      return await call();
    } finally {
      await this.suppliers.unlockQuery(kind, supplier, lock.until);
    }
  }
}

/** @param waitMs the rest of the lock. Most calls end sooner, so the message names the gap at most. */
function queriedJustNow(supplier: string, waitMs: number): AppError {
  const retryAfterSeconds = Math.ceil(Math.min(Math.max(waitMs, 1), QUERY_GAP_MS) / 1_000);
  const message = `${supplier} was called just now: please wait ${counted(retryAfterSeconds, 'second')}`;
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds });
}
