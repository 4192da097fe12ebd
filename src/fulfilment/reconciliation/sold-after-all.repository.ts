import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import type { AnswerRow } from '../../orders/settlement.sql.js';
import { FIND_SOLD_AFTER_ALL } from './sold-after-all.sql.js';
import type { ReportedPurchase } from './unknown-purchases.repository.js';

const NONE = { found: 0, opened: 0 };

type Sold = Omit<AnswerRow, 'state'>;

/** Purchases that a supplier says it sold, and that did not buy their unit: each is a case, as an answer that says so. */
@Injectable()
export class SoldAfterAllRepository {
  constructor(
    private readonly database: Database,
    private readonly settlements: SettlementRepository,
  ) {}

  /**
   * A list or a statement may be older than what the supplier said since: it turns no word.
   * @returns how many there are, and how many of them are cases since now.
   */
  async tell(supplierId: number, purchases: ReportedPurchase[]): Promise<{ found: number; opened: number }> {
    const rows = purchases.filter(({ state }) => state === 'succeeded').map(toRow);
    if (rows.length === 0) return NONE;
    const values = FIND_SOLD_AFTER_ALL.with({ supplierId, purchases: rows });
    const sold = await this.database.query<Sold>(...values);
    if (sold.length === 0) return NONE;
    const answers = sold.map((each) => ({ ...each, state: 'succeeded', is_news: false }));
    const judged = await this.settlements.judgeUnsettled(this.database, answers);
    return { found: sold.length, opened: judged.filter((each) => each.is_new_reversal).length };
  }
}

const toRow = ({ reference, supplierReference, cost, detail }: ReportedPurchase) => ({
  reference,
  supplier_reference: supplierReference,
  detail,
  cost_micros: cost?.micros ?? null,
  cost_currency: cost?.currency ?? null,
});
