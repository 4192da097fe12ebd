import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../core/errors.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, MAX_DATE_MS, toPage, type Page } from '../core/pagination.js';
import { textProblem } from '../core/text.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { Database, type Transaction } from '../database/database.js';
import { inIndexedSnapshot } from '../database/snapshot.js';
import { unitName, type ItemRow, type OrderRow, type UnitKey } from '../orders/order.rows.js';
import type { Transfer } from '../wallet/transfer.entity.js';
import {
  OrderOverviewRepository,
  type OverviewFilter,
  type OverviewPlace,
  type OverviewRow,
  type FoundOrder,
} from './order-overview.repository.js';
import { OrderSupportRepository, type AttemptOfUnit, type PlayerRow } from './order-support.repository.js';
import { historyInWords, type HistoryEntry } from './order-history.js';

/** An order in a list, with its products. */
export interface OverviewOrder extends OverviewRow {
  items: ItemRow[];
}

/** One piece of one item. */
export interface OverviewUnit {
  unit: string;
  state: string;
  sku: string;
  supplier: string;
  supplier_reference: string | null;
  failure_code: string | null;
  failure_message: string | null;
  /** What the merchant pays for it, in satang. */
  price: bigint;
  sends: number;
  attempts: AttemptOfUnit[];
}

/** What a decision about a unit needs to know of it. */
export interface UnitAtHand {
  order: Pick<OrderRow, 'id' | 'merchant_id'>;
  /** What the merchant pays for it, in satang. */
  price: bigint;
  /** The latest one; null where there was none. */
  attempt: AttemptOfUnit | null;
}

/** An order with everything that is known of it. */
export interface OverviewOrderDetail extends OverviewOrder {
  units: OverviewUnit[];
  transfers: Transfer[];
  timeline: HistoryEntry[];
}

/** What a list is asked for. */
export interface OverviewRequest extends OverviewFilter {
  /** One term that may be a number, a reference, a player or a supplier's reference. */
  term?: string | undefined;
  withPlayers: boolean;
  cursor?: string | undefined;
  limit: number;
}

const DELIVERY_ID = /^[1-9]\d{0,17}$/;
const UNIT_REFERENCE = /^(ord_[0-9A-Za-z]{16})\.\d/;
/** More orders of one player or reference than anybody reads. */
const MAX_FOUND = 1_000;
const MAX_NOTE_LENGTH = 2_000;

/** Orders as the console shows them. */
@Injectable()
export class OrderOverviewService {
  constructor(
    private readonly database: Database,
    private readonly overview: OrderOverviewRepository,
    private readonly orders: OrderSupportRepository,
  ) {}

  /**
   * Newest first. A filter that little fits gets pages that are not full, or even empty, until there are no more.
   * @throws BAD_REQUEST for a cursor that no page carried.
   */
  async page({ cursor, limit, term, withPlayers, ...filter }: OverviewRequest): Promise<Page<OverviewOrder>> {
    const after = readPlace(cursor);
    const ids = term === undefined ? undefined : await this.idsOf(term, withPlayers);
    const { rows, goOnAt } = await this.overview.page({ ...filter, ids }, after, limit + 1);
    const items = await this.itemsOf(rows);
    const page = toPage(rows, limit, cursorOf, (row) => ({ ...row, items: items.get(row.id) ?? [] }));
    return goOnAt ? { ...page, next_cursor: encodePlace(goOnAt) } : page;
  }

  /** Orders that a term may mean, newest first, each with what it was found as. */
  async find(
    term: string,
    withPlayers: boolean,
    limit: number,
  ): Promise<(OverviewOrder & Pick<FoundOrder, 'found_as'>)[]> {
    const deliveryId = DELIVERY_ID.test(term) ? BigInt(term) : null;
    const found = (await this.lookUp(term, withPlayers, limit, deliveryId)).slice(0, limit);
    const page = await this.overview.findByIds(found.map(({ id }) => id));
    const items = await this.itemsOf(page);
    const foundAs = new Map(found.map(({ id, found_as }) => [id, found_as]));
    return page.map((row) => ({
      ...row,
      items: items.get(row.id) ?? [],
      found_as: foundAs.get(row.id) ?? 'number',
    }));
  }

  /** @throws NOT_FOUND */
  show(orderNumber: string): Promise<OverviewOrderDetail> {
    return inIndexedSnapshot(this.database, async (tx) => {
      const order = await this.get(tx, orderNumber);
      const [row] = await this.overview.findByIds([order.id], tx);
      const items = await this.orders.listItems(tx, [order.id]);
      const units = await this.orders.listUnits(tx, order.id);
      const attempts = await this.orders.listAttempts(tx, order.id);
      const transfers = await this.overview.transfers(tx, order.id);
      const history = await this.orders.listHistory(tx, order.id);
      return {
        ...order,
        merchant_name: row?.merchant_name ?? '',
        items,
        units: units.map((unit) => toOverviewUnit(unit, items, attempts)),
        transfers,
        timeline: historyInWords(history),
      };
    });
  }

  /** Who was topped up by orders, each by its number. */
  playersOf(orderNumbers: string[]): Promise<Map<string, PlayerRow>> {
    return this.database.transaction(async (tx) => {
      const found = await this.orders.listPlayers(tx, [...new Set(orderNumbers)]);
      return new Map(found.map((row) => [row.order_number, row]));
    });
  }

  /** @throws NOT_FOUND */
  getByNumber(orderNumber: string): Promise<OrderRow> {
    return this.database.transaction((tx) => this.get(tx, orderNumber));
  }

  /** A unit and its latest attempt, without all else that is known of its order. @throws NOT_FOUND */
  getUnit(orderNumber: string, { item, unit }: Pick<UnitKey, 'item' | 'unit'>): Promise<UnitAtHand> {
    return this.database.transaction(async (tx) => {
      const found = await this.orders.findUnit(tx, orderNumber, { item, unit });
      if (!found) throw notFound('order');
      const { id, merchant_id, price } = found;
      if (price === null) throw notFound('unit');
      const attempts = await this.orders.listAttemptsOfUnit(tx, { orderId: id, item, unit });
      return { order: { id, merchant_id }, price, attempt: attempts.at(-1) ?? null };
    });
  }

  /** Writes a note of 1 to 2,000 characters, line breaks included, into the history of an order. @throws NOT_FOUND; BAD_REQUEST */
  async note(orderNumber: string, note: string, by: Actor): Promise<void> {
    const problem = textProblem(note.replaceAll('\n', ' '), 1, MAX_NOTE_LENGTH);
    if (problem) throw new AppError('BAD_REQUEST', `text ${problem}`);
    await this.database.transaction(async (tx) => {
      const { id, merchant_id: merchantId } = await this.get(tx, orderNumber);
      recordAction(tx, by, { action: 'order.note', merchantId, orderId: id, detail: { note } });
    });
  }

  /** Keeps that an operator asked a supplier about a unit, and what it said. */
  async recordInquiry(
    { id: orderId, merchant_id: merchantId }: Pick<OrderRow, 'id' | 'merchant_id'>,
    detail: { unit: string; supplier: string; result: string },
    by: Actor,
  ): Promise<void> {
    await this.database.transaction((tx) => {
      recordAction(tx, by, { action: 'order.inquire', merchantId, orderId, detail });
      return Promise.resolve();
    });
  }

  private async get(tx: Transaction, orderNumber: string): Promise<OrderRow> {
    const found = await this.orders.findByNumber(tx, orderNumber);
    if (!found) throw notFound('order');
    return found;
  }

  private async idsOf(term: string, withPlayers: boolean): Promise<bigint[]> {
    return (await this.lookUp(term, withPlayers, MAX_FOUND)).map(({ id }) => id);
  }

  /** @param deliveryId only where somebody reads what the term was found as: any number may be a delivery's. */
  private lookUp(
    term: string,
    withPlayers: boolean,
    limit: number,
    deliveryId: bigint | null = null,
  ): Promise<FoundOrder[]> {
    const [, orderNumber = term] = UNIT_REFERENCE.exec(term) ?? [];
    return this.overview.findByTerm({ term, orderNumber, deliveryId, withPlayers, limit });
  }

  private async itemsOf(orders: OrderRow[]): Promise<Map<bigint, ItemRow[]>> {
    const ids = orders.map(({ id }) => id);
    const items = new Map<bigint, ItemRow[]>(ids.map((id) => [id, []]));
    const found = await this.database.transaction((tx) => this.orders.listItems(tx, ids));
    for (const item of found) items.get(item.order_id)?.push(item);
    return items;
  }
}

const encodePlace = ({ createdAt, id }: OverviewPlace): string => encodeCursor(createdAt.getTime(), id);
const cursorOf = ({ created_at: createdAt, id }: OverviewRow): string => encodePlace({ createdAt, id });

function readPlace(cursor: string | undefined): OverviewPlace | null {
  const parts = decodeCursor(cursor, [MAX_DATE_MS, MAX_BIGINT]);
  return parts && { createdAt: new Date(Number(parts[0])), id: parts[1] ?? 0n };
}

function toOverviewUnit(
  unit: Awaited<ReturnType<OrderSupportRepository['listUnits']>>[number],
  items: ItemRow[],
  attempts: AttemptOfUnit[],
): OverviewUnit {
  const item = items.find(({ position }) => position === unit.item);
  return {
    unit: unitName(unit),
    state: unit.state,
    sku: item?.sku ?? '',
    supplier: unit.supplier,
    supplier_reference: unit.supplier_reference,
    failure_code: unit.failure_code,
    failure_message: unit.failure_message,
    price: item?.unit_price ?? 0n,
    sends: unit.sends,
    attempts: attempts.filter((attempt) => attempt.item === unit.item && attempt.unit === unit.unit),
  };
}
