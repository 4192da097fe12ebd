import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { ASKED_GAP_MS } from './supplier-timing.js';
import { SuppliersRepository, type AskedFor } from './suppliers.repository.js';

/**
 * Lets operators ask suppliers by hand: one of them at a time, and not again for ten seconds, whoever asks and wherever.
 * Suppliers limit and ban by account and address, and a ban stops them for all merchants.
 */
@Injectable()
export class SupplierQueriesService {
  constructor(private readonly suppliers: SuppliersRepository) {}

  /** @throws TOO_MANY_REQUESTS while the same is asked of the same supplier, and soon after. */
  async ask<Answer>(what: AskedFor, supplier: string, call: () => Promise<Answer>): Promise<Answer> {
    const turn = await this.suppliers.beginAsking(what, supplier);
    if (turn.until === null) throw queriedJustNow(supplier, turn.wait_ms);
    try {
      return await call();
    } finally {
      await this.suppliers.endAsking(what, supplier, turn.until);
    }
  }
}

/** @param waitMs how long it may take; most often its answer comes sooner. */
function queriedJustNow(supplier: string, waitMs: number): AppError {
  const retryAfterSeconds = Math.ceil(Math.min(Math.max(waitMs, 1), ASKED_GAP_MS) / 1_000);
  const message = `${supplier} was asked just now: please wait ${retryAfterSeconds} seconds`;
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds });
}
