import type { Arrival } from '../chaos/receiver.js';
import type { Violations } from '../chaos/violations.js';
import type { Laboratory } from './laboratory.js';

export interface SoldPurchase {
  reference: string;
  outcome: string;
  user_id: string;
  received: number;
}

interface Case {
  id: number;
  kind: string;
  order_number: string | null;
  reference: string | null;
  player: string | null;
}

interface Shown {
  likely_matches: { user_id: string }[];
}

/** The number of discrepancies for which it checks that they name the repeated order. */
const SHOWN = 5;
const CLOSED_AT_ONCE = 100;

/** The records that a restore removed from the books, and that the supplier and the receivers still have. */
export class Forgotten {
  /** References of purchases that the books lost, and that have a discrepancy. */
  private readonly references = new Set<string>();
  /** The supplier's purchases from before the restore. */
  private readonly earlier = new Set<string>();
  /** Events that were delivered before the restore, and that the books lost. */
  private readonly events = new Set<string>();

  /** Call it when the database is lost. */
  async remember(laboratory: Laboratory): Promise<void> {
    for (const { reference } of await laboratory.purchases<SoldPurchase>()) this.earlier.add(reference);
  }

  get isAny(): boolean {
    return this.earlier.size > 0;
  }

  /**
   * Compares the supplier's list with the books, as docs/operations.md tells operators to. Checks that every purchase has an order
   * or a discrepancy, and none has both, and closes the discrepancies.
   * @returns the number of discrepancies.
   */
  async settle(laboratory: Laboratory, since: Date, arrivals: Arrival[], violations: Violations): Promise<number> {
    await laboratory.topup('report', 'supplier', '--since', since.toISOString()).catch(() => undefined);
    const cases = (await laboratory.topup<Case[]>('reversal', 'list', '--open')).filter(
      ({ kind, order_number: number }) => kind === 'unknown_purchase' && number === null,
    );
    const known = new Set(
      (await laboratory.sql<{ reference: string }>('SELECT reference FROM unit_attempts')).map(
        ({ reference }) => reference,
      ),
    );
    const inCases = new Set(cases.map(({ reference }) => reference ?? ''));
    for (const purchase of await laboratory.purchases<SoldPurchase>()) {
      if (purchase.outcome === 'failed') continue;
      const { reference } = purchase;
      if (!known.has(reference) && !inCases.has(reference))
        violations.add('supplier', 'a purchase is known to no book and no case', purchase);
      if (known.has(reference) && inCases.has(reference))
        violations.add('supplier', 'there is a case for a purchase that a book knows', purchase);
    }
    for (const each of cases.slice(0, SHOWN)) {
      const { likely_matches: matches } = await laboratory.topup<Shown>('reversal', 'show', String(each.id));
      if (!matches.some(({ user_id: user }) => user === each.player))
        violations.add('supplier', 'a case does not name the order that came again', { ...each, matches });
    }
    for (const reference of inCases) this.references.add(reference);
    for (let begin = 0; begin < cases.length; begin += CLOSED_AT_ONCE) {
      const ids = cases.slice(begin, begin + CLOSED_AT_ONCE).map(({ id }) => String(id));
      await laboratory.topup('reversal', 'close', ...ids, '--reason', 'lost by the restore');
    }
    await this.rememberEvents(laboratory, arrivals);
    return cases.length;
  }

  /** The supplier's purchases without those that have a discrepancy. The books no longer count sends from before the restore. */
  isRemembered = ({ reference }: { reference: string }): boolean => !this.references.has(reference);

  receivedOf = ({ reference, received }: SoldPurchase): number =>
    this.earlier.has(reference) ? Math.min(received, 1) : received;

  isEventKept = ({ eventId }: Arrival): boolean => !this.events.has(eventId);

  private async rememberEvents(laboratory: Laboratory, arrivals: Arrival[]): Promise<void> {
    const ids = [...new Set(arrivals.map(({ eventId }) => eventId))];
    const kept = await laboratory.sql<{ id: string }>('SELECT public_id AS id FROM events WHERE public_id = ANY($1)', [
      ids,
    ]);
    const there = new Set(kept.map(({ id }) => id));
    for (const id of ids) if (!there.has(id)) this.events.add(id);
  }
}
