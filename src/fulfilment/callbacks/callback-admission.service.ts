import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../../core/errors.js';
import { WindowStore } from '../../core/http/window-store.js';
import { Metrics } from '../../core/metrics.js';
import { CallbackAddressesService } from '../../suppliers/callback-addresses.service.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { SuppliersRepository, type CallingSupplier } from '../../suppliers/suppliers.repository.js';

const WINDOW_MS = 1_000;
/** The maximum of callbacks within a window, for each supplier in each API process (contract, section 8). */
const MAX_IN_WINDOW = 100;

/** Identifies the supplier that calls its callback address, and limits its rate. */
@Injectable()
export class CallbackAdmissionService {
  private readonly windows = new WindowStore(WINDOW_MS);
  /** Compared with the token if the supplier is unknown, so that this takes as long as a wrong token. */
  private readonly dummyToken = randomBytes(16).toString('hex');
  private lastReading: Promise<unknown> = Promise.resolve();
  private nextReading: Promise<CallingSupplier[]> | undefined;

  constructor(
    private readonly suppliers: SuppliersRepository,
    private readonly registry: SupplierRegistry,
    private readonly addresses: CallbackAddressesService,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Checks the token before the rate, so that strangers never use up a supplier's limit.
   * @returns the supplier that the address belongs to.
   * @throws NOT_FOUND for an unknown address; TOO_MANY_REQUESTS; SERVICE_UNAVAILABLE
   */
  async admit(code: string, token: string): Promise<CallingSupplier> {
    const suppliers = await this.readSuppliers();
    const named = suppliers.find((each) => each.code === code);
    const expected = (named && this.addresses.tokenOf(named)) ?? this.dummyToken;
    const isRight = isSame(token, expected);
    if (!named || !isRight || !this.registry.find(named.adapter)?.callbacks) throw notFound('callback address');
    const { totalHits } = this.windows.increment(named.code);
    if (totalHits > MAX_IN_WINDOW) {
      this.metrics.supplierCalledBack(named.code, 'limited');
      const message = `More than ${MAX_IN_WINDOW} callbacks per second: please slow down`;
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 1 });
    }
    return named;
  }

  /**
   * Reads the current suppliers. Callbacks that arrive while one reading runs share the next reading. So strangers keep at
   * most one connection to PostgreSQL busy.
   */
  private readSuppliers(): Promise<CallingSupplier[]> {
    return (this.nextReading ??= this.readAfter(this.lastReading));
  }

  private async readAfter(earlier: Promise<unknown>): Promise<CallingSupplier[]> {
    await earlier;
    this.nextReading = undefined;
    const reading = this.suppliers.listCalling();
    this.lastReading = reading.catch(() => undefined);
    return reading;
  }
}

/** Compares in the same time for every wrong text, so that the time reveals nothing about the secret. */
const isSame = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
