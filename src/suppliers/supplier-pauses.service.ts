import { Injectable } from '@nestjs/common';
import type { CostMoney } from '../core/cost-money.js';
import { MINUTE_MS } from '../core/durations.js';
import { storable } from '../core/text.js';
import { Database } from '../database/database.js';
import { SupplierRegistry } from './supplier-registry.js';
import type { SupplierBalance, Unavailable } from './supplier-adapter.js';
import { SupplierBalancesRepository } from './supplier-balances.repository.js';
import type { PauseReason, Supplier } from './supplier.entity.js';
import { SuppliersRepository } from './suppliers.repository.js';

/** Why a supplier's own answer pauses it. */
type Reason = Exclude<PauseReason, 'operator'>;

interface Pause {
  /** The supplier, and its adapter. */
  id: number;
  adapter: string;
  reason: Reason;
  /** What it said. */
  detail: string | null;
  /** How long it wants to be left alone, where it said so. */
  retryAfterMs?: number | undefined;
}

const MAX_DETAIL_LENGTH = 255;

/** When a paused supplier is asked for our balance, after the pause began or after it was asked before; the last goes on. */
const PROBES_MS: Record<Reason, readonly [number, ...number[]]> = {
  // A supplier may ban who fails to sign in again and again.
  credentials: [5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS],
  // At once, to know the balance that was too low.
  deposit: [0, MINUTE_MS],
  // Each call before its end makes a ban longer; the longest is about a day.
  ban: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024].map((minutes) => minutes * MINUTE_MS) as [number, ...number[]],
};

const probeDelayMs = (reason: Reason, probes: number): number => {
  const delays = PROBES_MS[reason];
  return delays[Math.min(probes, delays.length - 1)] ?? delays[0];
};

/** A supplier, as it was when it was asked for our balance, and whether that ended its pause. */
export interface ProbedSupplier {
  supplier: Supplier;
  answer: SupplierBalance;
  isResumed: boolean;
}

/**
 * Pauses suppliers that refuse our credentials, have too little of our money, or ban us for calling too often: at the
 * first such answer, for all workers.
 * They are probed by asking for our balance, never by a purchase, and go on by themselves.
 */
@Injectable()
export class SupplierPausesService {
  constructor(
    private readonly database: Database,
    private readonly repository: SuppliersRepository,
    private readonly balances: SupplierBalancesRepository,
    private readonly registry: SupplierRegistry,
  ) {}

  /** @returns the supplier's code if this paused it; null where it was paused already, or is never paused for this. */
  begin({ id, adapter, reason, detail, retryAfterMs = 0 }: Pause): Promise<string | null> {
    if (!this.registry.isPausedByFaults(adapter)) return Promise.resolve(null);
    const said = detail === null ? null : storable(detail, MAX_DETAIL_LENGTH);
    const probeInMs = Math.max(probeDelayMs(reason, 0), retryAfterMs);
    return this.repository.beginPause({ id, reason, detail: said, probeInMs });
  }

  /**
   * Pauses a supplier that told something else than it was asked, where that is what a purchase would pause it for.
   * @returns whether this paused it.
   */
  async beginFor({ id, adapter }: Supplier, { fault, detail }: Unavailable): Promise<boolean> {
    if (fault !== 'credentials' && fault !== 'ban') return false;
    return (await this.begin({ id, adapter, reason: fault, detail })) !== null;
  }

  /** Asks those for our balance that are due for it; each is asked by one worker. */
  async probeDue(): Promise<ProbedSupplier[]> {
    const due = await this.database.transaction((tx) =>
      this.repository.takeDueProbes(tx, ({ pause_reason: reason, probes }) =>
        reason === null || reason === 'operator' ? null : probeDelayMs(reason, probes + 1),
      ),
    );
    return Promise.all(due.map((supplier) => this.probe(supplier)));
  }

  /** Asks a supplier for our balance now, and takes note of what it tells: one that may goes on. */
  async probe(supplier: Supplier): Promise<ProbedSupplier> {
    const connection = this.registry.tryConnect(supplier);
    const answer = 'known' in connection ? connection : await connection.adapter.balance(connection.settings);
    if (!answer.known) return { supplier, answer, isResumed: false };
    await this.balances.record(supplier, answer.amount);
    return { supplier, answer, isResumed: await this.goesOn(supplier, answer.amount) };
  }

  private async goesOn(supplier: Supplier, { micros }: CostMoney): Promise<boolean> {
    const { pause_reason: reason } = supplier;
    if (reason === null || reason === 'operator') return false;
    if (reason !== 'deposit' || isEnough(supplier, micros)) return this.repository.endPause(supplier, reason);
    await this.repository.notePausedBalance(supplier, micros);
    return false;
  }
}

/** More than when the pause was young, or more than the operator wants to have there. */
const isEnough = ({ paused_balance_micros: before, low_balance_micros: low }: Supplier, micros: bigint): boolean =>
  (before !== null && micros > before) || (low !== null && micros > low);
