import { Inject, Injectable } from '@nestjs/common';
import { routingLimits, type RoutingLimits } from '../catalog/routing.js';
import { CONFIG, type Config } from '../core/config.js';
import type { Failure } from '../core/failures.js';
import { Database, type Transaction } from '../database/database.js';
import type { UnitKey } from '../orders/order.rows.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import * as sql from './attempts.sql.js';
import type { HeldUnit, NextAttempt } from './attempts.sql.js';
import type { ClaimedUnit } from './claim.sql.js';

export type { HeldUnit, NextAttempt } from './attempts.sql.js';

export type EndedRow = Parameters<typeof sql.BEGIN_NEXT_ATTEMPTS.with>[0]['ended'][number];
type AttemptKey = Pick<EndedRow, 'order_id' | 'item' | 'unit' | 'attempt'>;
export type NotedRow = Parameters<typeof sql.NOTE_ATTEMPTS.with>[0]['attempts'][number];

type OfferAsked = Pick<ClaimedUnit, 'supplier_id' | 'supplier_sku' | 'player_template'>;

/** How many offers are tried for a unit. */
const MAX_OFFERS = 3;
/** How often a supplier that asked for it is tried again under another reference. */
const MAX_RETRIES = 2;

/** Attempts to buy units. */
@Injectable()
export class AttemptsRepository {
  private readonly limits: RoutingLimits;

  constructor(
    private readonly database: Database,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.limits = routingLimits(config);
  }

  /**
   * Ends attempts and begins others, where there is something to try.
   * @returns those that begin.
   */
  beginNext(tx: Transaction, ended: EndedRow[]): Promise<NextAttempt[]> {
    const deadlineMs = BigInt(this.config.ROUTING_DEADLINE_MS);
    const named = this.registry.adapters.filter(({ named_at_random }) => named_at_random);
    const namedAtRandom = named.map(({ adapter }) => adapter);
    const given = { ended, namedAtRandom, deadlineMs, maxRetries: MAX_RETRIES, maxOffers: MAX_OFFERS };
    return tx.query<NextAttempt>(...sql.BEGIN_NEXT_ATTEMPTS.with({ ...given, ...this.limits }));
  }

  /** Keeps what suppliers tell of attempts. */
  note(tx: Transaction, attempts: NotedRow[]): void {
    if (attempts.length > 0) tx.write(...sql.NOTE_ATTEMPTS.with({ attempts }));
  }

  /**
   * Keeps what a supplier calls an attempt; what is known already stays.
   * @param isHearsay whether nothing proves that the supplier said it.
   */
  async name(attempt: AttemptKey, supplierReference: string, isHearsay: boolean): Promise<void> {
    const { order_id, item, unit, attempt: number } = attempt;
    const name = { supplier_reference: supplierReference, is_hearsay: isHearsay, is_misnamed: false };
    const noted = { order_id, item, unit, attempt: number, ...name };
    const nothingElse = { cost_micros: null, cost_currency: null, unconfirmed: null };
    await this.database.query(...sql.NOTE_ATTEMPTS.with({ attempts: [{ ...noted, ...nothingElse }] }));
  }

  /** How the attempts of a unit failed that another one followed, in their order. */
  listFailures(key: UnitKey): Promise<Failure[]> {
    return this.database.query<Failure>(...sql.FIND_FAILURES.with(key));
  }

  /** Has the price be read again that an attempt's supplier refused. */
  async rereadProduct(key: UnitKey, attempt: number): Promise<void> {
    await this.database.query(...sql.REREAD_PRODUCT.with({ ...key, attempt }));
  }

  /** Units that wait for a paused supplier, and that can be bought elsewhere or have waited for too long. */
  listHeld(limit: number): Promise<HeldUnit[]> {
    const holdLimitMs = BigInt(this.config.ROUTING_HOLD_LIMIT_MS);
    return this.database.query<HeldUnit>(...sql.FIND_HELD.with({ holdLimitMs, limit, ...this.limits }));
  }

  /** Whether what a unit's attempt asks for is an offer that is off. */
  async isOfferOff({ order_id, item, supplier_id, supplier_sku }: ClaimedUnit): Promise<boolean> {
    const asked = { order_id, item, supplier_id, supplier_sku };
    const [offer] = await this.database.query<{ is_off: boolean | null }>(...sql.IS_OFFER_OFF.with(asked));
    return offer?.is_off === true;
  }

  /** @param asked what a supplier was asked for. @returns whether there was an offer of that to take off. */
  async takeOfferOff(asked: OfferAsked, reason: string): Promise<boolean> {
    const { supplier_id, supplier_sku, player_template } = asked;
    const values = { supplier_id, supplier_sku, player_template, reason };
    const offers = await this.database.query(...sql.TAKE_OFFER_OFF.with(values));
    return offers.length > 0;
  }
}
