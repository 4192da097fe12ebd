import { Injectable } from '@nestjs/common';
import { recordAction, type Actor, type AuditRecord } from '../audit-log/audit-log.js';
import { AppError, notFound } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, MAX_DATE_MS, toPage, type Page } from '../core/pagination.js';
import { textProblem } from '../core/text.js';
import { Database } from '../database/database.js';
import { unitName, unitReference, type ItemRow, type OrderRow, type UnitKey } from '../orders/order.rows.js';
import { toAttemptView, type AttemptView } from './attempt-view.js';
import { maskOf, type Mask, type Viewer } from './masking.js';
import { AmbiguousReference, noSuchUnit } from './order-problems.js';
import {
  OrderSearchRepository,
  type FoundOrder,
  type ListFilter,
  type NamedOrderRow,
  type OrderPlace,
  type PageFilter,
} from './order-search.repository.js';
import {
  OrderSupportRepository,
  type ShownUnit,
  type UnitToDecide,
  type WholeOrder,
} from './order-support.repository.js';

export type { FoundOrder } from './order-search.repository.js';

export type OrderWithItems = OrderRow & { items: ItemRow[] };
export type ListedOrder = NamedOrderRow & { items: ItemRow[] };

export interface UnitDetail extends ShownUnit {
  /** Such as `1.2`. */
  name: string;
  /** The reference of the unit's latest attempt; before the first attempt, `unitReference`. */
  reference: string;
  sku: string;
  /** The price that the merchant pays for the unit, in satang. */
  price: bigint;
  attempts: AttemptView[];
}

/** All that operators see of an order. */
export interface OrderDetail extends Omit<WholeOrder, 'units' | 'attempts'> {
  units: UnitDetail[];
}

export interface PageRequest extends Omit<PageFilter, 'ids'> {
  /** An order's number, a unit's reference, a merchant's reference, a player, a supplier's reference or an event's id. */
  term?: string | undefined;
  /** Whether the term may be a player. */
  withPlayers: boolean;
  cursor?: string | undefined;
  limit: number;
}

/** A row about an order, such as a call. */
type OfOrder = Pick<OrderRow, 'order_number'>;

const DELIVERY_ID = /^[1-9]\d{0,17}$/;
const UNIT_REFERENCE = /^(ord_[0-9A-Za-z]{16})\.\d/;
/**
 * A list shows at most this many orders for each meaning of a term. Operators do not read more orders of one player.
 */
const MAX_FOUND = 1_000;
const MAX_NOTE_LENGTH = 2_000;

/** Orders of all merchants, for operators. */
@Injectable()
export class OrderSupportService {
  constructor(
    private readonly database: Database,
    private readonly orders: OrderSupportRepository,
    private readonly searches: OrderSearchRepository,
  ) {}

  /**
   * An order by its number or, when no order has that number, by its merchant's reference.
   * @param merchantId the merchant whose order it must be, if given.
   * @throws NOT_FOUND; AmbiguousReference.
   */
  async getByNumberOrReference(numberOrReference: string, merchantId?: number): Promise<OrderRow> {
    const byNumber = await this.orders.findByNumber(numberOrReference, merchantId);
    if (byNumber) return byNumber;
    const [found, ...others] = await this.searches.listByReference(numberOrReference, merchantId);
    if (!found) {
      const ofMerchant = merchantId === undefined ? '' : ` of merchant ${merchantId}`;
      const message = `there is no order${ofMerchant} with the number or reference ${numberOrReference}`;
      throw new AppError('NOT_FOUND', message);
    }
    if (others.length > 0) throw new AmbiguousReference(numberOrReference, [found, ...others]);
    return found;
  }

  /** @throws NOT_FOUND */
  async get(orderNumber: string): Promise<OrderRow> {
    const found = await this.orders.findByNumber(orderNumber);
    if (!found) throw notFound('order');
    return found;
  }

  /** @throws NOT_FOUND */
  async show(orderNumber: string): Promise<OrderDetail> {
    const order = await this.orders.findWhole(orderNumber);
    if (!order) throw notFound('order');
    const { attempts, ...rest } = order;
    const attemptsOf = new Map<string, AttemptView[]>(order.units.map((unit) => [unitName(unit), []]));
    for (const attempt of attempts) attemptsOf.get(unitName(attempt))?.push(toAttemptView(attempt));
    return {
      ...rest,
      units: order.units.map((unit) => toUnitDetail(unit, order, attemptsOf.get(unitName(unit)) ?? [])),
    };
  }

  /** A unit and its latest attempt, without the rest of its order. @throws NOT_FOUND */
  async getUnit(orderNumber: string, key: Pick<UnitKey, 'item' | 'unit'>): Promise<UnitToDecide> {
    const found = await this.orders.findUnit(orderNumber, key);
    if (!found) throw notFound('order');
    const { order, price, attempt } = found;
    if (price === null) throw notFound('unit');
    return { order, price, attempt };
  }

  /** Returns null if the unit has no attempt. @throws NOT_FOUND, which names the units of the order. */
  async findLatestAttempt(order: OrderRow, key: Pick<UnitKey, 'item' | 'unit'>): Promise<UnitToDecide['attempt']> {
    const found = await this.orders.findUnit(order.order_number, key);
    if (!found || found.price === null) throw noSuchUnit(key, await this.orders.listUnits(order.id));
    return found.attempt;
  }

  /** Returns matching orders, newest first, up to the limit. The result may be a moment old. */
  async list(filter: ListFilter): Promise<OrderWithItems[]> {
    const { orders, items } = await this.searches.list(filter);
    return withItems(orders, items);
  }

  /**
   * Newest first. If few orders match, a page may be short or empty. The list ends only at a page whose `next_cursor` is null.
   * @throws BAD_REQUEST for an invalid cursor.
   */
  async page({ cursor, limit, term, withPlayers, ...filter }: PageRequest): Promise<Page<ListedOrder>> {
    const after = readPlace(cursor);
    const found = term === undefined ? undefined : await this.listByTerm(term, withPlayers, MAX_FOUND);
    const ids = found?.map(({ id }) => id);
    const { rows, continueAt } = await this.searches.page({ ...filter, ids }, after, limit + 1);
    const page = toPage(await this.readItems(rows), limit, cursorOf, (order) => order);
    return continueAt ? { ...page, next_cursor: encodePlace(continueAt) } : page;
  }

  /** The orders that a term may mean, newest first. `found_as` names the identifier of the order that equals the term. */
  async search(
    term: string,
    withPlayers: boolean,
    limit: number,
  ): Promise<(ListedOrder & Pick<FoundOrder, 'found_as'>)[]> {
    const deliveryId = DELIVERY_ID.test(term) ? BigInt(term) : null;
    const found = (await this.listByTerm(term, withPlayers, limit, deliveryId)).slice(0, limit);
    const foundAs = new Map(found.map(({ id, found_as }) => [id, found_as]));
    const orders = await this.readItems(await this.searches.listByIds([...foundAs.keys()]));
    return orders.map((order) => ({ ...order, found_as: foundAs.get(order.id) ?? 'number' }));
  }

  /** Returns the mask of each row's order. For an order that does not exist, it masks every text whole. */
  async masks(rows: readonly OfOrder[], viewer: Viewer): Promise<(row: OfOrder) => Mask> {
    if (viewer.may('players.read')) return () => maskOf(null, viewer);
    const found = await this.orders.listPlayers([...new Set(rows.map(({ order_number }) => order_number))]);
    const players = new Map(found.map((row) => [row.order_number, row]));
    return ({ order_number }) => maskOf(players.get(order_number) ?? null, viewer);
  }

  /** Writes a note of 1 to 2,000 characters, line breaks included, into an order's history. @throws NOT_FOUND; BAD_REQUEST */
  async note(orderNumber: string, note: string, by: Actor): Promise<void> {
    const problem = textProblem(note.replaceAll('\n', ' '), 1, MAX_NOTE_LENGTH);
    if (problem) throw new AppError('BAD_REQUEST', `text ${problem}`);
    await this.record(await this.get(orderNumber), 'order.note', { note }, by);
  }

  /** Writes an operator's action about an order into the order's history. */
  async record(
    { id: orderId, merchant_id: merchantId }: Pick<OrderRow, 'id' | 'merchant_id'>,
    action: AuditRecord['action'],
    detail: AuditRecord['detail'],
    by: Actor,
  ): Promise<void> {
    await this.database.transaction((tx) => recordAction(tx, by, { action, merchantId, orderId, detail }));
  }

  /**
   * @param deliveryId the term as the id of a delivery. Almost any number is one, so only callers that show `found_as` pass it: then
   * operators see why the order was found.
   */
  private listByTerm(
    term: string,
    withPlayers: boolean,
    limit: number,
    deliveryId: bigint | null = null,
  ): Promise<FoundOrder[]> {
    const [, orderNumber = term] = UNIT_REFERENCE.exec(term) ?? [];
    return this.searches.listByTerm({ term, orderNumber, deliveryId, withPlayers, limit });
  }

  private async readItems<Row extends OrderRow>(orders: Row[]): Promise<(Row & { items: ItemRow[] })[]> {
    return withItems(orders, await this.orders.listItems(orders.map(({ id }) => id)));
  }
}

function withItems<Row extends OrderRow>(orders: Row[], items: ItemRow[]): (Row & { items: ItemRow[] })[] {
  const itemsOf = new Map<bigint, ItemRow[]>(orders.map(({ id }) => [id, []]));
  for (const item of items) itemsOf.get(item.order_id)?.push(item);
  return orders.map((order) => ({ items: itemsOf.get(order.id) ?? [], ...order }));
}

function toUnitDetail(unit: ShownUnit, { order_number, items }: WholeOrder, attempts: AttemptView[]): UnitDetail {
  const item = present(
    items.find(({ position }) => position === unit.item),
    'a unit has its item',
  );
  return {
    ...unit,
    name: unitName(unit),
    reference: attempts.at(-1)?.reference ?? unitReference(order_number, unit),
    sku: item.sku,
    price: item.unit_price,
    attempts,
  };
}

const encodePlace = ({ createdAt, id }: OrderPlace): string => encodeCursor(createdAt.getTime(), id);
const cursorOf = ({ created_at: createdAt, id }: OrderRow): string => encodePlace({ createdAt, id });

function readPlace(cursor: string | undefined): OrderPlace | null {
  const parts = decodeCursor(cursor, [MAX_DATE_MS, MAX_BIGINT]);
  return parts && { createdAt: new Date(Number(parts[0])), id: parts[1] ?? 0n };
}
