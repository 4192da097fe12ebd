import { Injectable } from '@nestjs/common';
import { storable } from '../core/text.js';
import { Database } from '../database/database.js';
import { SupplierRegistry } from './supplier-registry.js';
import type { SupplierBalance } from './supplier-adapter.js';
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
}

const MINUTE_MS = 60_000;
const MAX_DETAIL_LENGTH = 255;

/** When a paused supplier is asked for our balance, after the pause began or after it was asked before; the last goes on. */
const PROBES_MS: Record<Reason, readonly [number, ...number[]]> = {
  // A supplier may ban who fails to sign in again and again.
  credentials: [5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS],
  // At once, to know the balance that was too low.
  deposit: [0, MINUTE_MS],
};

const probeDelayMs = (reason: Reason, probes: number): number => {
  const delays = PROBES_MS[reason];
  return delays[Math.min(probes, delays.length - 1)] ?? MINUTE_MS;
};

/** A supplier that was asked for our balance while it is paused. */
export interface ProbedSupplier {
  supplier: Supplier;
  answer: SupplierBalance;
  isResumed: boolean;
}

/**
 * Pauses suppliers that refuse our credentials or have too little of our money: at the first such answer, for all workers.
 * They are probed by asking for our balance, never by a purchase, and go on by themselves.
 */
@Injectable()
export class SupplierPauses {
  constructor(
    private readonly database: Database,
    private readonly repository: SuppliersRepository,
    private readonly registry: SupplierRegistry,
  ) {}

  /** @returns the supplier's code if this paused it; null where it was paused already, or is never paused for this. */
  begin({ id, adapter, reason, detail }: Pause): Promise<string | null> {
    if (!this.registry.isPausedByFaults(adapter)) return Promise.resolve(null);
    const said = detail === null ? null : storable(detail, MAX_DETAIL_LENGTH);
    return this.repository.beginPause({ id, reason, detail: said, probeInMs: probeDelayMs(reason, 0) });
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

  /**
   * Takes note of what a supplier told about our balance, whoever asked.
   * @returns whether it goes on now.
   */
  async told(supplier: Supplier, answer: SupplierBalance): Promise<boolean> {
    if (!answer.known) return false;
    await this.repository.setBalance(supplier, answer.amount);
    const { pause_reason: reason } = supplier;
    if (reason === null || reason === 'operator') return false;
    const { micros } = answer.amount;
    if (reason === 'credentials' || isEnough(supplier, micros))
      return this.repository.endPause(supplier, reason);
    await this.repository.notePausedBalance(supplier, micros);
    return false;
  }

  private async probe(supplier: Supplier): Promise<ProbedSupplier> {
    const answer = await this.ask(supplier);
    return { supplier, answer, isResumed: await this.told(supplier, answer) };
  }

  private async ask(supplier: Supplier): Promise<SupplierBalance> {
    try {
      const { adapter, settings } = this.registry.connect(supplier);
      return await adapter.balance(settings);
    } catch (error) {
      return { known: false, detail: (error as Error).message, reached: false, fault: 'settings' };
    }
  }
}

/** More than when the pause was young, or more than the operator wants to have there. */
const isEnough = (
  { paused_balance_micros: before, low_balance_micros: low }: Supplier,
  micros: bigint,
): boolean => (before !== null && micros > before) || (low !== null && micros > low);
