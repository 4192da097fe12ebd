import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { CostMoney } from '../core/cost-money.js';
import { MINUTE_MS } from '../core/durations.js';
import type { Logger } from '../core/logger.js';
import { storable } from '../core/text.js';
import { Database } from '../database/database.js';
import { SupplierRegistry } from './supplier-registry.js';
import type { SupplierBalance, Unavailable } from './supplier-adapter.js';
import { SupplierBalancesRepository } from './supplier-balances.repository.js';
import type { PauseReason, Supplier } from './supplier.entity.js';
import { SuppliersRepository } from './suppliers.repository.js';

type Reason = Exclude<PauseReason, 'operator'>;

/** Why to pause a supplier. Its `updated_at` and `last_resumed_at` are as they were when the refused call began. */
interface Pause extends Pick<Supplier, 'id' | 'adapter' | 'updated_at' | 'last_resumed_at'> {
  reason: Reason;
  /** The supplier's explanation. */
  detail: string | null;
  /** The wait that the supplier requested, if any. */
  retryAfterMs?: number | undefined;
}

const MAX_DETAIL_LENGTH = 255;

const PAUSED: Record<Reason, string> = {
  credentials: 'the supplier refuses our credentials and is paused: correct them with topup supplier set',
  ban: 'the supplier bans us because of too many calls, and is paused until it answers again',
  deposit: 'our deposit at the supplier is too low, and the supplier is paused: pay in more there',
};

/** The waits before the first and each next probe of a paused supplier. The last wait repeats. */
const PROBES_MS: Record<Reason, readonly [number, ...number[]]> = {
  // Suppliers may ban clients after repeated failed sign-ins.
  credentials: [5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS],
  // The first probe comes at once: it records the balance that is too low, so that a later probe recognizes a higher one. The
  // operator's limit does not count for it: with a balance above it, the same purchase would be refused again and again.
  deposit: [0, MINUTE_MS],
  // Each call during a ban prolongs the ban. The longest wait is about 17 hours.
  ban: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024].map((minutes) => minutes * MINUTE_MS) as [number, ...number[]],
};

const probeDelayMs = (reason: Reason, probes: number): number => {
  const delays = PROBES_MS[reason];
  return delays[Math.min(probes, delays.length - 1)] ?? delays[0];
};

/** A supplier as it was before a probe, and the result of the probe. */
export interface ProbedSupplier {
  supplier: Supplier;
  answer: SupplierBalance;
  isResumed: boolean;
}

/**
 * Pauses suppliers that refuse our credentials, report that our balance is too low, or ban us for calling too often. The first such
 * answer pauses the supplier for all workers. Workers probe a paused supplier by reading our balance, never by a purchase, and end
 * the pause when the probe shows that the fault is gone.
 */
@Injectable()
export class SupplierPausesService {
  constructor(
    private readonly database: Database,
    private readonly repository: SuppliersRepository,
    private readonly balances: SupplierBalancesRepository,
    private readonly registry: SupplierRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Pauses a supplier, or gives its pause a more serious reason. Does nothing if its settings were changed or a pause ended
   * after the call began: the refusal proves nothing about the time since. Also does nothing if faults never pause suppliers of
   * its adapter.
   */
  async begin({ id, adapter, reason, detail, retryAfterMs = 0, ...before }: Pause): Promise<void> {
    if (!this.registry.isPausedByFaults(adapter)) return;
    const shown = detail === null ? null : storable(detail, MAX_DETAIL_LENGTH);
    const waits = { probesMs: [...PROBES_MS[reason]], minWaitMs: retryAfterMs };
    const since = { updatedAt: before.updated_at, lastResumedAt: before.last_resumed_at };
    const supplier = await this.repository.beginPause({ id, ...since, reason, detail: shown, ...waits });
    if (supplier !== null) this.logger.error({ supplier, reason, detail }, PAUSED[reason]);
  }

  /** Pauses a supplier that refused a call because of our credentials or a ban. For calls that are not purchases. */
  async beginFor(
    { id, adapter, updated_at, last_resumed_at }: Supplier,
    { fault, detail, retryAfterMs }: Unavailable & Pick<Pause, 'retryAfterMs'>,
  ): Promise<void> {
    if (fault === 'credentials' || fault === 'ban')
      await this.begin({ id, adapter, updated_at, last_resumed_at, reason: fault, detail, retryAfterMs });
  }

  /**
   * Finds a pause for the credentials or a ban. Until it ends, callers should leave all calls to the probes, because
   * another call could prolong it.
   * @returns `bar` null if there is no such pause, and when the last pause ended, for {@link beginFor}.
   */
  async findBar({ code }: Supplier): Promise<{ bar: Unavailable | null } & Pick<Supplier, 'last_resumed_at'>> {
    const {
      pause_reason: fault,
      pause_detail: words,
      last_resumed_at = null,
    } = (await this.repository.find(code)) ?? {};
    if (fault !== 'credentials' && fault !== 'ban') return { bar: null, last_resumed_at };
    const cause = `${fault === 'ban' ? 'a ban' : 'refusing our credentials'}${words ? ` (${words})` : ''}`;
    const detail = `it is paused for ${cause}, and gets no queries until the pause ends`;
    return { bar: { known: false, detail, offersNone: false, fault }, last_resumed_at };
  }

  /** Claims the suppliers whose probe is due, for {@link probeClaimed}. Only one worker probes each of them. */
  claimDueProbes(): Promise<Supplier[]> {
    return this.database.transaction((tx) =>
      this.repository.claimDueProbes(tx, ({ pause_reason: reason, probes }) =>
        reason === null || reason === 'operator' ? null : probeDelayMs(reason, probes + 1),
      ),
    );
  }

  /** Probes a claimed supplier. During the probe, no unit fails because it has waited too long for the supplier. */
  async probeClaimed(supplier: Supplier): Promise<ProbedSupplier> {
    try {
      return await this.probe(supplier, supplier.probes === 0 ? 'first' : 'later');
    } finally {
      await this.repository.endProbe(supplier);
    }
  }

  /**
   * Reads our balance at a supplier now, records it, and ends the pause if the balance allows that.
   * @param claimed whether it is the first or a later probe of the pause by a worker; null for any other reading of the
   * balance.
   */
  async probe(supplier: Supplier, claimed: 'first' | 'later' | null = null): Promise<ProbedSupplier> {
    const connection = this.registry.tryConnect(supplier);
    const answer = 'known' in connection ? connection : await connection.adapter.balance(connection.settings);
    if (!answer.known) return { supplier, answer, isResumed: false };
    await this.balances.record(supplier, answer.amount);
    return { supplier, answer, isResumed: await this.endPause(supplier, answer.amount, claimed) };
  }

  private async endPause(supplier: Supplier, balance: CostMoney, claimed: 'first' | 'later' | null): Promise<boolean> {
    const { pause_reason: reason } = supplier;
    if (reason === null || reason === 'operator') return false;
    // If the first probe got no answer, any balance is enough: it may have been topped up since. At worst, the supplier refuses one
    // more purchase for each free slot of each worker.
    const isUnnoted = claimed === 'later' && supplier.paused_balance_micros === null;
    const isOver = claimed === 'first' ? hasRisen(supplier, balance) : isUnnoted || isEnough(supplier, balance.micros);
    if (reason !== 'deposit' || isOver) return this.repository.endPause(supplier, reason);
    await this.repository.notePausedBalance(supplier, balance.micros);
    return false;
  }
}

/** Whether the balance is higher than at the first probe of the pause, or above the operator's limit. */
const isEnough = ({ paused_balance_micros: before, low_balance_micros: low }: Supplier, micros: bigint): boolean =>
  (before !== null && micros > before) || (low !== null && micros > low);

/**
 * Whether the balance is higher than at its last reading before the pause: a payment may have come since, even before the first
 * probe. At worst, the supplier refuses one more purchase for each free slot of each worker, and is paused again. The new pause keeps
 * `paused_at`, and the last reading is then later, so it does not end like this.
 */
const hasRisen = (
  { balance_micros: before, balance_currency: currency, balance_at: at, paused_at: since }: Supplier,
  balance: CostMoney,
): boolean =>
  before !== null &&
  at !== null &&
  since !== null &&
  at < since &&
  currency === balance.currency &&
  balance.micros > before;
