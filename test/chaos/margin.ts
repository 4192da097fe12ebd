import { DAY_MS } from '../../src/core/durations.js';
import { dayIn } from '../support/days.js';
import type { ChaosSystem } from './system.js';

/** A row of `topup report margin --by supplier`, with the debits of the vendor's own account. */
export interface MarginLine {
  supplier: string;
  units: number;
  revenue: string;
  cost: string;
  margin: string;
  cost_estimated_units: number;
  cost_unknown_units: number;
  /** Purchases that the vendor took back or reported late, in its currency. The report's cost does not include these changes. */
  reversed: string;
  /** All debits in its currency, also for purchases that it took back or reported late; null if it reports no costs. */
  debited: string | null;
  debited_baht: string | null;
}

const REVERSED = `
  SELECT coalesce(string_agg(r.kind || ' ' || coalesce(r.cost_micros / 1e6, 0)::float8, ', '), '') AS reversed
  FROM supplier_reversals r JOIN suppliers s ON s.id = r.supplier_id AND s.code = $1`;

/** The service's margin with each supplier, and the amounts that vendors took. */
export async function readMargin(system: ChaosSystem): Promise<MarginLine[]> {
  const [from, to] = [Date.now() - DAY_MS, Date.now()].map((ms) => dayIn('Asia/Bangkok', ms)) as [string, string];
  const rows = await system.topup<MarginLine[]>('report', 'margin', '--from', from, '--to', to, '--by', 'supplier');
  return Promise.all(
    rows.map(async (row) => {
      const { supplier, units, revenue, cost, margin, cost_estimated_units, cost_unknown_units } = row;
      const reported = { supplier, units, revenue, cost, margin, cost_estimated_units, cost_unknown_units };
      const vendor = system.vendors.find(({ kind }) => kind.code === supplier);
      if (!vendor) return { ...reported, reversed: '', debited: null, debited_baht: null };
      const { currency, rate } = vendor.kind;
      const debited = Number(await vendor.debited()) / 1_000_000;
      const debited_baht = (debited * Number(rate)).toFixed(2);
      const [{ reversed = '' } = {}] = await system.sql<{ reversed: string }>(REVERSED, [supplier]);
      return { ...reported, reversed, debited: `${debited} ${currency}`, debited_baht };
    }),
  );
}
