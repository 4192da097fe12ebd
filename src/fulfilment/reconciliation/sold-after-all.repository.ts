import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../core/durations.js';
import { Database } from '../../database/database.js';
import { SettlementRepository, type AnswerRow } from '../../orders/settlement.repository.js';
import { AttemptChecksRepository } from '../attempt-checks.repository.js';
import type { ReportedPurchase } from './unknown-purchases.repository.js';
import { rowsOf, statement } from '../../database/parameters.js';

/**
 * In SQL: whether `g` is a second purchase under the unit's reference. That is certain only if the report also contains
 * the unit's own purchase, in any state. A different reference of the supplier alone proves nothing, because some suppliers change their
 * references later.
 */
const IS_ANOTHER = `g.supplier_reference <> u.supplier_reference
    AND EXISTS (SELECT FROM reported t WHERE t.reference = g.reference AND t.supplier_reference = u.supplier_reference)`;

/** Selects reported purchases with their attempts, in the columns that `judgeUnsettled` expects of an answer. */
const attemptsNamed = (isNamed: string): string => `
  SELECT a.order_id, a.item, a.unit, a.number AS attempt, g.state, g.supplier_reference, g.detail, g.cost_micros, g.cost_currency
  FROM reported g
  JOIN unit_attempts a ON a.supplier_id IN (SELECT id FROM same_account) AND ${isNamed}
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit
  WHERE g.state IN ('succeeded', 'processing') AND (a.ended_as IS NOT NULL OR u.state = 'failed'
    OR g.state = 'succeeded' AND u.state = 'succeeded' AND ${IS_ANOTHER})`;

/**
 * Purchases that the supplier sold, but that our books record as not bought: the unit failed, another attempt followed, or the
 * unit has another purchase under the same reference. Also purchases in progress of a failed unit or an ended attempt.
 */
const LIST_SOLD_AFTER_ALL = statement(
  'sold_after_all.list',
  {
    supplierId: 'int',
    purchases: rowsOf({
      reference: 'text?',
      supplier_reference: 'text?',
      state: 'text?',
      detail: 'text',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
    }),
  },
  ({ supplierId, purchases }) => `
    WITH reported AS MATERIALIZED (SELECT * FROM ${purchases.as('g')}),
    same_account AS (
      SELECT s.id FROM suppliers s JOIN suppliers own USING (adapter, base_url, account) WHERE own.id = ${supplierId})
    ${attemptsNamed('a.reference = g.reference')}
    UNION
    ${attemptsNamed('g.reference IS NULL AND a.supplier_reference = g.supplier_reference AND NOT a.is_hearsay')}`,
);

const NONE = { found: [], opened: 0 };

/** Opens discrepancies for purchases that a supplier reports as sold, but that our books record as not bought. */
@Injectable()
export class SoldAfterAllRepository {
  constructor(
    private readonly database: Database,
    private readonly settlements: SettlementRepository,
    private readonly checks: AttemptChecksRepository,
  ) {}

  /**
   * Handles the purchases like answers of the supplier, but with `is_news` false: a list or a statement may be older than the
   * supplier's last answer. If a purchase is still in progress, a check follows: later readings of a list may leave the purchase out.
   * @returns a distinct name for each such purchase that was sold, and how many of them opened a discrepancy.
   */
  async report(supplierId: number, purchases: ReportedPurchase[]): Promise<{ found: string[]; opened: number }> {
    if (!purchases.some(({ state }) => state === 'succeeded' || state === 'processing')) return NONE;
    const values = LIST_SOLD_AFTER_ALL.with({ supplierId, purchases: purchases.map(toRow) });
    const reported = await this.database.query<AnswerRow>(...values);
    for (const each of reported) if (each.state === 'processing') await this.checks.schedule(each, MINUTE_MS);
    const sold = reported.filter(({ state }) => state === 'succeeded');
    if (sold.length === 0) return NONE;
    const answers = sold.map((each) => ({ ...each, is_news: false }));
    const judged = await this.database.transaction((tx) => this.settlements.judgeReports(tx, answers));
    return { found: sold.map(nameOf), opened: judged.filter((each) => each.changes_discrepancy).length };
  }
}

const toRow = ({ reference, supplierReference, state, cost, detail }: ReportedPurchase) => ({
  reference,
  supplier_reference: supplierReference,
  state,
  detail,
  cost_micros: cost?.micros ?? null,
  cost_currency: cost?.currency ?? null,
});

const nameOf = ({ order_id, item, unit, attempt, supplier_reference }: AnswerRow): string =>
  [order_id, item, unit, attempt, supplier_reference].join(' ');
