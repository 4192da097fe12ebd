import { Inject, Injectable } from '@nestjs/common';
import { routingLimits, type RoutingLimits } from '../catalog/routing.js';
import { CONFIG, type Config } from '../core/config.js';
import type { Failure } from '../core/failures.js';
import { Database, type Transaction } from '../database/database.js';
import type { UnitKey } from '../orders/order.rows.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import * as sql from './attempts.sql.js';
import type { PausedUnit, NextAttempt } from './attempts.sql.js';
import type { ClaimedUnit } from './claim.sql.js';

export type { PausedUnit, NextAttempt } from './attempts.sql.js';

export type EndedRow = Parameters<typeof sql.BEGIN_NEXT_ATTEMPTS.with>[0]['ended'][number];
type AttemptKey = Pick<EndedRow, 'order_id' | 'item' | 'unit' | 'attempt'>;
export type NotedRow = Parameters<typeof sql.NOTE_ATTEMPTS.with>[0]['attempts'][number];

type OfferKey = Pick<ClaimedUnit, 'supplier_id' | 'supplier_sku' | 'player_template'>;

/** The maximum of different offers that the service tries for one unit. */
const MAX_OFFERS = 3;
/** The maximum of repeats of one offer, if its supplier asks for a retry. Each repeat has another reference. */
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

  /** Ends attempts and begins the next attempts of units that still have an offer or a repeat. @returns the new attempts. */
  beginNext(tx: Transaction, ended: EndedRow[]): Promise<NextAttempt[]> {
    const deadlineMs = BigInt(this.config.ROUTING_DEADLINE_MS);
    const named = this.registry.adapters.filter(({ has_random_references }) => has_random_references);
    const namedAtRandom = named.map(({ adapter }) => adapter);
    const values = { ended, namedAtRandom, deadlineMs, maxRetries: MAX_RETRIES, maxOffers: MAX_OFFERS };
    return tx.query<NextAttempt>(...sql.BEGIN_NEXT_ATTEMPTS.with({ ...values, ...this.limits }));
  }

  /** Stores costs, references and unconfirmed refusals that suppliers report. */
  note(tx: Transaction, attempts: NotedRow[]): void {
    if (attempts.length > 0) tx.write(...sql.NOTE_ATTEMPTS.with({ attempts }));
  }

  /**
   * Stores a supplier's reference of an attempt that has none.
   * @param isUnproven whether nothing proves that the reference comes from the supplier.
   */
  async storeSupplierReference(attempt: AttemptKey, supplierReference: string, isUnproven: boolean): Promise<void> {
    const { order_id, item, unit, attempt: number } = attempt;
    const name = { supplier_reference: supplierReference, is_hearsay: isUnproven, is_misnamed: false };
    const noted = { order_id, item, unit, attempt: number, ...name };
    const nothingElse = { cost_micros: null, cost_currency: null, unconfirmed: null };
    await this.database.query(...sql.NOTE_ATTEMPTS.with({ attempts: [{ ...noted, ...nothingElse }] }));
  }

  /** The failures of a unit's earlier attempts, oldest first. */
  listFailures(key: UnitKey): Promise<Failure[]> {
    return this.database.query<Failure>(...sql.LIST_FAILURES.with(key));
  }

  /** Schedules a new reading of the price that an attempt's supplier refused. */
  async rereadProduct(key: UnitKey, attempt: number): Promise<void> {
    await this.database.query(...sql.REREAD_PRODUCT.with({ ...key, attempt }));
  }

  /** Units that wait for a paused supplier, if another supplier sells them or they have waited too long. */
  listPaused(limit: number, areProbesRecorded: boolean): Promise<PausedUnit[]> {
    const { ROUTING_HOLD_LIMIT_MS, ROUTING_DEADLINE_MS } = this.config;
    const times = { holdLimitMs: BigInt(ROUTING_HOLD_LIMIT_MS), deadlineMs: BigInt(ROUTING_DEADLINE_MS) };
    const values = { ...times, limit, areProbesRecorded, maxOffers: MAX_OFFERS, ...this.limits };
    return this.database.query<PausedUnit>(...sql.LIST_PAUSED.with(values));
  }

  /** For how many milliseconds the offer of a unit's attempt has been off; null if it is on, or was removed. */
  async findOfferOffMs({ order_id, item, supplier_id, supplier_sku }: ClaimedUnit): Promise<number | null> {
    const offerKey = { order_id, item, supplier_id, supplier_sku };
    const [offer] = await this.database.query<{ off_ms: number }>(...sql.FIND_OFF_OFFER.with(offerKey));
    return offer?.off_ms ?? null;
  }

  /** Takes an offer off. @returns whether the offer existed and was on. */
  async takeOfferOff(offer: OfferKey, reason: string): Promise<boolean> {
    const { supplier_id, supplier_sku, player_template } = offer;
    const values = { supplier_id, supplier_sku, player_template, reason };
    const offers = await this.database.query(...sql.TAKE_OFFER_OFF.with(values));
    return offers.length > 0;
  }
}
