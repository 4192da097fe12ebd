import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../../core/errors.js';
import { WindowStore } from '../../core/http/window-store.js';
import { Metrics } from '../../core/metrics.js';
import { CallbackAddressesService } from '../../suppliers/callback-addresses.service.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { SuppliersRepository, type CallingSupplier } from '../../suppliers/suppliers.repository.js';

const WINDOW_MS = 1_000;
/** Contract, section 8: of each supplier, in each API process. */
const MAX_IN_WINDOW = 100;

/** Lets suppliers in that call us at their own address. */
@Injectable()
export class CallbackAdmissionService {
  private readonly windows = new WindowStore(WINDOW_MS);
  /** What callers without a supplier are compared with. */
  private readonly nobodysToken = randomBytes(16).toString('hex');
  private lastReading: Promise<unknown> = Promise.resolve();
  private nextReading: Promise<CallingSupplier[]> | undefined;

  constructor(
    private readonly suppliers: SuppliersRepository,
    private readonly registry: SupplierRegistry,
    private readonly addresses: CallbackAddressesService,
    private readonly metrics: Metrics,
  ) {}

  /**
   * The limit comes after the token: strangers use up nothing of what a supplier may do.
   * @returns the supplier that the address belongs to.
   * @throws NOT_FOUND for an address that is none; TOO_MANY_REQUESTS; SERVICE_UNAVAILABLE
   */
  async admit(code: string, token: string): Promise<CallingSupplier> {
    const suppliers = await this.readSuppliers();
    const named = suppliers.find((each) => each.code === code);
    const expected = (named && this.addresses.tokenOf(named)) ?? this.nobodysToken;
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
   * As they are at this moment. Those who ask while others are waited for share the next reading, so that strangers, however
   * many, keep one connection to PostgreSQL busy at most.
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

/** Takes as long for every text that is not the secret. */
const isSame = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
