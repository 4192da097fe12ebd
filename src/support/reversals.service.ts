import { Injectable } from '@nestjs/common';
import { AppError, notFound, UnknownResource } from '../core/errors.js';
import { formatMicros } from '../core/cost-money.js';
import { formatBaht, type Satang } from '../core/money.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor, type AuditRecord } from '../audit-log/audit-log.js';
import { unitName } from '../orders/order.rows.js';
import type { UnitState } from '../orders/states.js';
import type { ReversalKind, SupplierReversal } from '../orders/supplier-reversal.entity.js';
import { WalletService } from '../wallet/wallet.service.js';
import { PurchaseMatchesRepository, type MatchRow } from './purchase-matches.repository.js';
import { ReversalsRepository, type ReversalRow, type ReversalsFilter } from './reversals.repository.js';

/** A supplier's word that contradicts the books, as a case for the operator. */
export interface Reversal {
  id: number;
  /** Null, as are the merchant and the unit, where no book knows the purchase. */
  order_number: string | null;
  merchant_id: number | null;
  unit: string | null;
  /** Whether the order is archived: it is in no list, and can't be shown. */
  archived: boolean;
  supplier: string;
  /**
   * - `taken_back`: the unit had succeeded, and its supplier says that it failed.
   * - `bought_late`: the unit had failed and its price was returned, and its supplier says that it was bought.
   * - `unknown_purchase`: its supplier tells of a purchase that no book knows: another one than the unit's, or one of
   *   which there is no order.
   */
  kind: ReversalKind;
  /** What it cost at the supplier; null where that is not known. */
  amount: string | null;
  currency: string | null;
  supplier_reference: string | null;
  /** Of a purchase without an order, as far as its supplier told: our reference, what was bought, for whom, and when. */
  reference: string | null;
  supplier_sku: string | null;
  player: string | null;
  bought_at: string | null;
  detail: string | null;
  /** Whether its supplier handed something over for it, such as a code: the merchant has it only by an operator's word. */
  handed_over: boolean;
  status: 'open' | 'closed';
  created_at: string;
}

/** A unit that may be what a purchase without an order was bought for, ordered again. */
export interface Match {
  order_number: string;
  unit: string;
  merchant_id: number;
  reference_id: string;
  user_id: string;
  server_id: string | null;
  state: UnitState;
  supplier: string;
  /** Under which it was bought; null where it was not sent yet. */
  reference: string | null;
  ordered_at: string;
}

/** A case that was closed just now. */
export type ClosedReversal = Reversal & {
  /** Who gave the credit before, and when: it was not given again. Absent where it was given now, or none was to be. */
  credited_before?: { by: string | null; at: string };
};

export type ReversalDetail = Reversal & { likely_matches: Match[] };

export interface HandedOverOfCase {
  unit: string;
  /** Whose it was to be, as it is sealed. */
  key: Pick<SupplierReversal, 'order_id' | 'item' | 'unit'>;
  sealed: Buffer;
  /** For the log. */
  about: Partial<AuditRecord>;
}

export interface Closing {
  id: number;
  /** What the merchant gets for it; nothing unless given. */
  credit?: Satang;
  by: Actor;
}

/** How many cases are read at once. */
const PAGE = 1_000;

/** The cases in which a supplier contradicts the books. Merchants' money moves by the operator's word only. */
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

  /** The same page by page: they are never removed, and may be more than fit in memory. @param limit at most how many. */
  async *pages({
    limit = Infinity,
    ...filter
  }: Pick<ReversalsFilter, 'open'> & { limit?: number | undefined }): AsyncGenerator<Reversal[]> {
    let before: number | undefined;
    for (let left = limit; left > 0; left -= PAGE) {
      const most = Math.min(PAGE, left);
      const page = await this.list({ ...filter, before, limit: most });
      if (page.length > 0) yield page;
      if (page.length < most) return;
      before = page.at(-1)?.id;
    }
  }

  /** @throws NOT_FOUND */
  async show(id: number): Promise<ReversalDetail> {
    const found = await this.reversals.find(id);
    if (!found) throw new UnknownResource('reversal', id);
    const matches = found.order_id === null ? await this.matches.find(found) : [];
    return { ...toReversal(found), likely_matches: matches.map(toMatch) };
  }

  /**
   * What was handed over for what a case is about, sealed, and whose unit it is.
   * @throws NOT_FOUND where there is no such case, or nothing was.
   */
  async getHandedOver(id: number): Promise<HandedOverOfCase> {
    const found = await this.reversals.find(id);
    if (!found) throw new UnknownResource('reversal', id);
    const sealed = await this.reversals.findHandedOver(id);
    const unit = unitOf(found);
    if (!sealed || unit === null) throw notFound('code');
    return { unit, key: found, sealed, about: orderOf(found) };
  }

  /**
   * Closes a case, and gives the merchant of the order its credit under the reference `reversal-<id>-<when it opened>`: both
   * or neither, however many operators decide about it at once. After a restore numbers come again, moments don't; and a
   * credit that was entered again by its reference is told, and not given twice.
   * @throws NOT_FOUND; CONFLICT when it is closed already, and for a credit where there is no order.
   */
  async close({ id, credit, by }: Closing): Promise<ClosedReversal> {
    const found = await this.reversals.find(id);
    if (!found) throw new UnknownResource('reversal', id);
    if (found.status === 'closed') throw closedBefore(id);
    return this.database.transaction(async (tx) => {
      const locked = await this.reversals.lock(tx, id);
      if (locked?.status !== 'open') throw closedBefore(id);
      const before = credit === undefined ? null : await this.credit(tx, locked, credit, by);
      const reported = before && { credited_before: before };
      await this.reversals.close(tx, id);
      const detail = {
        reversal_id: id,
        kind: locked.kind,
        unit: unitOf(locked),
        ...(locked.order_id === null && purchaseOf(locked)),
        credit: credit === undefined || before ? null : formatBaht(credit),
        ...reported,
      };
      recordAction(tx, by, { action: 'reversal.close', ...orderOf(locked), detail });
      return { ...toReversal({ ...locked, status: 'closed' }), ...reported };
    });
  }

  /** @returns who gave it before, and when; null where it is given now. @throws CONFLICT */
  private async credit(
    tx: Transaction,
    { id, merchant_id: merchantId, created_at: openedAt }: ReversalRow,
    amount: Satang,
    { operator, console, reason }: Actor,
  ): Promise<ClosedReversal['credited_before'] | null> {
    if (merchantId === null) throw nobodysCredit(id);
    const reference = `reversal-${id}-${openedAt.toISOString().replace(/[-:.]/g, '')}`;
    const { repeats, at } = await this.wallets.fundIn(tx, 'credit', {
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

const nobodysCredit = (id: number): AppError =>
  new AppError('CONFLICT', `reversal ${id} has no order, so nobody can be credited by closing it`);

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

const toMatch = ({ created_at, item, unit, ...row }: MatchRow): Match => ({
  order_number: row.order_number,
  unit: unitName({ item, unit }),
  merchant_id: row.merchant_id,
  reference_id: row.reference_id,
  user_id: row.user_id,
  server_id: row.server_id,
  state: row.state,
  supplier: row.supplier,
  reference: row.reference,
  ordered_at: created_at.toISOString(),
});

const toReversal = (row: ReversalRow): Reversal => ({
  id: row.id,
  order_number: row.order_number,
  merchant_id: row.merchant_id,
  unit: unitOf(row),
  archived: row.archived,
  supplier: row.supplier,
  kind: row.kind,
  amount: row.cost_micros === null ? null : formatMicros(row.cost_micros),
  currency: row.cost_currency,
  supplier_reference: row.supplier_reference,
  reference: row.reference,
  supplier_sku: row.supplier_sku,
  player: row.player,
  bought_at: row.bought_at?.toISOString() ?? null,
  detail: row.detail,
  handed_over: row.handed_over,
  status: row.status,
  created_at: row.created_at.toISOString(),
});
