import { Injectable } from '@nestjs/common';
import { AppError, UnknownResource } from '../core/errors.js';
import { formatMicros } from '../core/cost-money.js';
import { formatBaht, type Satang } from '../core/money.js';
import { Database } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { unitName } from '../orders/order.rows.js';
import type { ReversalKind } from '../orders/supplier-reversal.entity.js';
import { WalletService } from '../wallet/wallet.service.js';
import { ReversalsRepository, type ReversalRow } from './reversals.repository.js';

/** An answer of a supplier that contradicts how a unit was settled, as a case for the operator. */
export interface Reversal {
  id: number;
  order_number: string;
  merchant_id: number;
  unit: string;
  supplier: string;
  /**
   * - `taken_back`: the unit had succeeded, and its supplier says that it failed.
   * - `bought_late`: the unit had failed and its price was returned, and its supplier says that it was bought.
   * - `unknown_purchase`: its supplier names another purchase than the one that we know.
   */
  kind: ReversalKind;
  /** What it cost at the supplier; null where that is not known. */
  amount: string | null;
  currency: string | null;
  supplier_reference: string | null;
  detail: string | null;
  status: 'open' | 'closed';
  created_at: string;
}

export interface Closing {
  id: number;
  /** What the merchant gets for it; nothing unless given. */
  credit?: Satang;
  by: Actor;
}

/** The cases in which a supplier contradicts how a unit was settled. Merchants' money moves by the operator's word only. */
@Injectable()
export class ReversalsService {
  constructor(
    private readonly database: Database,
    private readonly reversals: ReversalsRepository,
    private readonly wallets: WalletService,
  ) {}

  /** Newest first. */
  async list({ open = false, supplier }: { open?: boolean; supplier?: string } = {}): Promise<Reversal[]> {
    return (await this.reversals.list({ open, supplier })).map(toReversal);
  }

  /**
   * Closes a case. A credit goes to the merchant of the order first, under the reference `reversal-<id>`, so that a
   * command that was cut off in between can be given again.
   * @throws NOT_FOUND; CONFLICT when it is closed already.
   */
  async close({ id, credit, by }: Closing): Promise<Reversal> {
    const found = await this.reversals.find(id);
    if (!found) throw new UnknownResource('reversal', id);
    if (found.status === 'closed') throw closedBefore(id);
    if (credit !== undefined) {
      await this.wallets.credit({
        merchantId: found.merchant_id,
        amount: credit,
        reference: `reversal-${id}`,
        note: by.reason,
        operator: by.operator,
        console: by.console,
      });
    }
    return this.database.transaction(async (tx) => {
      const locked = await this.reversals.lock(tx, id);
      if (locked?.status !== 'open') throw closedBefore(id);
      await this.reversals.close(tx, id);
      const detail = {
        reversal_id: id,
        kind: locked.kind,
        unit: unitName(locked),
        credit: credit === undefined ? null : formatBaht(credit),
      };
      const { merchant_id: merchantId, order_id: orderId } = locked;
      recordAction(tx, by, { action: 'reversal.close', merchantId, orderId, detail });
      return toReversal({ ...locked, status: 'closed' });
    });
  }
}

const closedBefore = (id: number): AppError => new AppError('CONFLICT', `reversal ${id} is closed already`);

const toReversal = (row: ReversalRow): Reversal => ({
  id: row.id,
  order_number: row.order_number,
  merchant_id: row.merchant_id,
  unit: unitName(row),
  supplier: row.supplier,
  kind: row.kind,
  amount: row.cost_micros === null ? null : formatMicros(row.cost_micros),
  currency: row.cost_currency,
  supplier_reference: row.supplier_reference,
  detail: row.detail,
  status: row.status,
  created_at: row.created_at.toISOString(),
});
