import { Inject, Injectable } from '@nestjs/common';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { CONFIG, type Config } from '../core/config.js';
import { AppError, ChangedMeanwhile } from '../core/errors.js';
import { Database } from '../database/database.js';
import type { FxRate } from './fx-rate.entity.js';
import { FxRatesRepository } from './fx-rates.repository.js';

/** Above zero, with ten digits on either side of the point at most. */
const RATE = /^(?=.*[1-9])\d{1,10}(\.\d{1,10})?$/;
const CURRENCY = /^[A-Z]{3}$/;

/** A rate as the operator sees it. */
interface FxRateView {
  currency: string;
  /** Baht for one unit. */
  rate: string;
  valid_from: string;
}

export const toFxRateView = ({ currency, baht_per_unit, valid_from }: FxRate): FxRateView => ({
  currency,
  rate: baht_per_unit,
  valid_from: valid_from.toISOString(),
});

/** Exchange rates: the value of suppliers' currencies in baht. */
@Injectable()
export class FxRatesService {
  constructor(
    private readonly database: Database,
    private readonly rates: FxRatesRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Sets a rate from now on.
   * @param rate baht for one unit, in decimals.
   * @param expected the present rate as the operator saw it, null for none. If the present rate differs, nothing changes.
   * @throws BAD_REQUEST; CONFLICT
   */
  async set(
    currency: string,
    rate: string,
    by?: Actor,
    { expected }: { expected?: string | null } = {},
  ): Promise<FxRate> {
    this.assertRate(currency, rate);
    return this.database.transaction(async (tx) => {
      const before = await this.rates.lock(tx, currency);
      if (expected !== undefined && expected !== (before?.baht_per_unit ?? null)) {
        throw new ChangedMeanwhile('the rate changed meanwhile');
      }
      const added = await this.rates.add(tx, currency, rate, 'operator');
      const detail = { ...toFxRateView(added), before: before?.baht_per_unit ?? null };
      recordAction(tx, by, { action: 'fx.set', detail });
      return added;
    });
  }

  /** @throws BAD_REQUEST */
  assertRate(currency: string, rate: string): void {
    const problem = rateProblem(currency, rate);
    if (problem !== null) throw new AppError('BAD_REQUEST', problem);
  }

  /** The present rate of each currency. */
  list(): Promise<FxRate[]> {
    return this.rates.list();
  }

  /** Whether the rate is recent enough for purchases. Costs at an old rate may differ much from the suppliers' real prices. */
  isFresh({ valid_from }: FxRate): boolean {
    return Date.now() - valid_from.getTime() <= this.config.ROUTING_RATE_MAX_AGE_MS;
  }
}

function rateProblem(currency: string, rate: string): string | null {
  if (!CURRENCY.test(currency)) return 'the currency must be its three capital letters, such as IDR';
  if (currency === 'THB') return 'the rate of THB is always 1';
  return RATE.test(rate) ? null : 'the rate must be a decimal number above 0, such as 0.0021';
}
