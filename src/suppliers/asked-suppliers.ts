import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';

/** Suppliers limit and ban by account and address, and a ban stops them for all merchants. */
const GAP_MS = 10_000;

/** Lets operators ask suppliers by hand: one of them at a time, and not again for ten seconds, whoever asks. */
@Injectable()
export class AskedSuppliers {
  private readonly freeAtMs = new Map<string, number>();

  /** @throws TOO_MANY_REQUESTS while the same is asked of the same supplier, and soon after. */
  async ask<Answer>(
    what: 'test' | 'inquiry',
    supplier: string,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const key = `${what} ${supplier}`;
    const waitMs = (this.freeAtMs.get(key) ?? 0) - performance.now();
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(Math.min(waitMs, GAP_MS) / 1_000);
      const message = `${supplier} was asked just now: please wait ${retryAfterSeconds} seconds`;
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds });
    }
    this.freeAtMs.set(key, Infinity);
    try {
      return await call();
    } finally {
      this.freeAtMs.set(key, performance.now() + GAP_MS);
    }
  }
}
