import { Injectable } from '@nestjs/common';
import { AppError, ChangedMeanwhile, notFound, UnknownResource } from '../core/errors.js';
import { formatMicros } from '../core/cost-money.js';
import { pick } from '../core/members.js';
import { formatBaht, type Satang } from '../core/money.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor, type AuditRecord } from '../audit-log/audit-log.js';
import { unitName } from '../orders/order.rows.js';
import type { SupplierReversal } from '../orders/supplier-reversal.entity.js';
import { WalletService } from '../wallet/wallet.service.js';
import { PurchaseMatchesRepository, type MatchRow } from './purchase-matches.repository.js';
import { ReversalsRepository, type ReversalRow, type ReversalsFilter } from './reversals.repository.js';

/**
 * A discrepancy between the books and what a supplier reports.
 * - `taken_back`: the unit had succeeded, and now the supplier reports a failure.
 * - `bought_late`: the supplier now reports a purchase that the service had given up: the unit had failed, or another
 *   attempt had begun.
 * - `unknown_purchase`: the supplier reports a purchase that the books do not have. It may be a second purchase for a unit, or
 *   a purchase without an order. If there is no order, `order_number`, `merchant_id` and `unit` are null, and the supplier
 *   reports reference, SKU, player and time as far as it can.
 */
export interface Reversal
  extends
    Pick<
      SupplierReversal,
      'id' | 'kind' | 'status' | 'supplier_reference' | 'reference' | 'supplier_sku' | 'player' | 'detail'
    >,
    Pick<ReversalRow, 'order_number' | 'merchant_id' | 'supplier'> {
  unit: string | null;
  /** Whether the order is archived: then no list and no page shows the order. */
  archived: boolean;
  /** The supplier's charge for the purchase, in `currency`; null if it is unknown. */
  amount: string | null;
  currency: string | null;
  bought_at: string | null;
  /** The supplier's latest report about the unit; null for an unknown purchase. */
  reported: 'succeeded' | 'failed' | null;
  /** Whether the supplier handed something over, such as a code. The merchant gets this only if an operator decides so. */
  handed_over: boolean;
  created_at: string;
}

/** A unit that may repeat a purchase without an order. */
export interface Match extends Omit<MatchRow, 'item' | 'unit' | 'created_at'> {
  unit: string;
  ordered_at: string;
}

/** A discrepancy that was closed just now. */
export type ClosedReversal = Reversal & {
  /** An earlier credit under the same reference. Absent if this closing credited the merchant, or had no credit. */
  credited_before?: { by: string | null; at: string };
};

export type ReversalDetail = Reversal & { likely_matches: Match[] };

interface HandedOverDeliveries {
  unit: string;
  /** The unit for which `sealed` was sealed. It can be opened only for this unit. */
  key: Pick<SupplierReversal, 'order_id' | 'item' | 'unit'>;
  sealed: Buffer;
  /** For the audit log. */
  about: Partial<AuditRecord>;
}

export interface Closing {
  id: number;
  /** The amount for the merchant. Without it, the merchant gets nothing. */
  credit?: Satang;
  /** The report that the operator saw. If the supplier has reported otherwise since, the discrepancy stays open. */
  expectedReported?: Reversal['reported'];
  by: Actor;
}

const PAGE = 1_000;

/** Discrepancies between the books and what suppliers report. Only an operator's decision moves merchants' money. */
@Injectable()
export class ReversalsService {
  constructor(
    private readonly database: Database,
    private readonly reversals: ReversalsRepository,
    private readonly matches: PurchaseMatchesRepository,
    private readonly wallets: WalletService,
  ) {}

  /** Newest first. */
  async list(filter: ReversalsFilter): Promise<Reversal[]> {
    return (await this.reversals.list(filter)).map(toReversal);
  }

  /** Yields the list page by page: discrepancies are never removed, so all of them may not fit in memory. */
  async *pages({
    limit = Infinity,
    ...filter
  }: Pick<ReversalsFilter, 'open'> & { limit?: number | undefined }): AsyncGenerator<Reversal[]> {
    let before: number | undefined;
    for (let left = limit; left > 0; left -= PAGE) {
      const size = Math.min(PAGE, left);
      const page = await this.list({ ...filter, before, limit: size });
      if (page.length > 0) yield page;
      if (page.length < size) return;
      before = page.at(-1)?.id;
    }
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<Reversal> {
    return toReversal(await this.getRow(id));
  }

  /** As {@link get}, with the units that may repeat a purchase without an order. @throws NOT_FOUND */
  async show(id: number): Promise<ReversalDetail> {
    const found = await this.getRow(id);
    const matches = found.order_id === null ? await this.matches.list(found) : [];
    return { ...toReversal(found), likely_matches: matches.map(toMatch) };
  }

  /** @throws NOT_FOUND for the first id without a discrepancy. */
  async assertExist(ids: number[]): Promise<void> {
    const found = new Set(await this.reversals.listExisting(ids));
    const unknown = ids.find((id) => !found.has(id));
    if (unknown !== undefined) throw new UnknownResource('reversal', unknown);
  }

  /**
   * Returns the sealed deliveries of the purchase, and the unit for which they were sealed.
   * @throws NOT_FOUND if there is no such discrepancy, if it has no unit, or if the supplier handed nothing over.
   */
  async getHandedOver(id: number): Promise<HandedOverDeliveries> {
    const found = await this.getRow(id);
    const sealed = await this.reversals.findHandedOver(id);
    const unit = unitOf(found);
    if (!sealed || unit === null) throw notFound('code');
    return { unit, key: found, sealed, about: orderOf(found) };
  }

  /**
   * Closes a discrepancy and, if `credit` is set, credits the order's merchant, in one transaction. If several
   * operators do so at once, only one of them succeeds. The reference of the credit has the id and the time of the
   * discrepancy, because ids repeat after a restore. If the merchant already has a credit of the same amount with this
   * reference, the result has that credit, and no second one follows.
   * @throws NOT_FOUND; BAD_REQUEST; CONFLICT if the discrepancy is closed already or the report has changed, for a
   * credit without an order, and as {@link WalletService.move}.
   */
  async close({ id, credit, expectedReported, by }: Closing): Promise<ClosedReversal> {
    const found = await this.getRow(id);
    if (found.status === 'closed') throw closedBefore(id);
    return this.database.transaction(async (tx) => {
      const locked = await this.reversals.lock(tx, found);
      if (locked?.status !== 'open') throw closedBefore(id);
      const reported = reportedOf(locked);
      if (expectedReported !== undefined && expectedReported !== reported) throw reportChanged(id, reported);
      const before = credit === undefined ? null : await this.credit(tx, locked, credit, by);
      const creditedBefore = before && { credited_before: before };
      await this.reversals.close(tx, id);
      const detail = {
        reversal_id: id,
        kind: locked.kind,
        unit: unitOf(locked),
        ...(locked.order_id === null && purchaseOf(locked)),
        credit: credit === undefined || before ? null : formatBaht(credit),
        ...creditedBefore,
      };
      recordAction(tx, by, { action: 'reversal.close', ...orderOf(locked), detail });
      return { ...toReversal({ ...locked, status: 'closed' }), ...creditedBefore };
    });
  }

  /** @throws NOT_FOUND */
  private async getRow(id: number): Promise<ReversalRow> {
    const found = await this.reversals.find(id);
    if (!found) throw new UnknownResource('reversal', id);
    return found;
  }

  /** @returns the earlier credit with this reference; null if this call credited the merchant. @throws CONFLICT */
  private async credit(
    tx: Transaction,
    { id, merchant_id: merchantId, created_at: openedAt }: ReversalRow,
    amount: Satang,
    { operator, console, reason }: Actor,
  ): Promise<ClosedReversal['credited_before'] | null> {
    if (merchantId === null) throw noMerchant(id);
    const reference = `reversal-${id}-${openedAt.toISOString().replace(/[-:.]/g, '')}`;
    const { repeats, at } = await this.wallets.moveIn(tx, 'credit', {
      merchantId,
      amount,
      reference,
      note: reason,
      operator,
      console,
    });
    return repeats && { by: repeats.operator, at: at.toISOString() };
  }
}

const closedBefore = (id: number): AppError => new AppError('CONFLICT', `reversal ${id} is closed already`);

const reportChanged = (id: number, reported: Reversal['reported']): AppError =>
  new ChangedMeanwhile(
    `the supplier of reversal ${id} now reports ${reported ?? 'another purchase'}: nothing was closed`,
    'expected_reported',
  );

const noMerchant = (id: number): AppError =>
  new AppError('CONFLICT', `reversal ${id} has no order, so closing it cannot credit a merchant`);

/** Until the supplier's report changes, the kind of the discrepancy says what it was. */
const reportedOf = ({ says, kind }: ReversalRow): Reversal['reported'] =>
  says ?? (kind === 'unknown_purchase' ? null : kind === 'taken_back' ? 'failed' : 'succeeded');

const unitOf = ({ item, unit }: ReversalRow): string | null =>
  item === null || unit === null ? null : unitName({ item, unit });

const orderOf = ({ merchant_id: merchantId, order_id: orderId }: ReversalRow): Partial<AuditRecord> => ({
  ...(merchantId !== null && { merchantId }),
  ...(orderId !== null && { orderId }),
});

const purchaseOf = ({ supplier, reference, supplier_reference: theirs }: ReversalRow): object => ({
  supplier,
  purchase: reference ?? theirs,
});

const toMatch = (row: MatchRow): Match => ({
  order_number: row.order_number,
  unit: unitName(row),
  ...pick(row, 'merchant_id', 'reference_id', 'user_id', 'server_id', 'state', 'supplier', 'reference'),
  ordered_at: row.created_at.toISOString(),
});

const toReversal = (row: ReversalRow): Reversal => ({
  ...pick(row, 'id', 'order_number', 'merchant_id'),
  unit: unitOf(row),
  ...pick(row, 'archived', 'supplier', 'kind'),
  amount: row.cost_micros === null ? null : formatMicros(row.cost_micros),
  currency: row.cost_currency,
  ...pick(row, 'supplier_reference', 'reference', 'supplier_sku', 'player'),
  bought_at: row.bought_at?.toISOString() ?? null,
  reported: reportedOf(row),
  ...pick(row, 'detail', 'handed_over', 'status'),
  created_at: row.created_at.toISOString(),
});
