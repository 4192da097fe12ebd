import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ProductsService } from '../../catalog/products.service.js';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import type { FailureCode } from '../../core/failures.js';
import { pick } from '../../core/members.js';
import { checkedPeriod } from '../../core/moments.js';
import { pageLimit, type Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import type { OrderStatus } from '../../orders/states.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { OrderSupportService, type PageRequest } from '../../support/order-support.service.js';
import { ReviewService, type Claim } from '../../support/review.service.js';
import type { Caller } from '../access/caller.js';
import { logExport } from '../export-log.js';
import { idsOf, valuesOf } from '../filters.js';
import {
  CONSOLE_LIMIT,
  type OrderFilterDto,
  type OrdersQueryDto,
  type ReviewQueryDto,
  type ReviewState,
} from './order-queries.dto.js';
import type { ListedOrderDto, OrderDetailDto } from './order.dto.js';
import { toFoundOrderDto, toListedOrderDto, toOrderDetailDto, toReviewUnitDto } from './order.mapper.js';
import type { ClaimedDto, FoundDto, ReviewUnitDto } from './review.dto.js';
import type { Unit } from './unit-name.js';

/** A search shows at most this many results of each kind. */
const MAX_FOUND = 5;
const CSV_PAGE = 1_000;
/** No supplier has this id. */
const NO_SUPPLIER_ID = -1;

const CSV_COLUMNS: CsvColumns<ListedOrderDto> = {
  ...membersOf<ListedOrderDto>('order_number'),
  merchant_id: ({ merchant }) => merchant.id,
  merchant: ({ merchant }) => merchant.name,
  ...membersOf<ListedOrderDto>('reference_id user_id server_id character_id'),
  items: ({ items }) => items.map(({ sku, quantity }) => `${quantity} ${sku}`).join('; '),
  ...membersOf<ListedOrderDto>('status total_amount failure_code created_at ended_at'),
};

/** Orders and the review queue, as the caller may see them. */
@Injectable()
export class ConsoleOrdersService {
  constructor(
    private readonly database: Database,
    private readonly orders: OrderSupportService,
    private readonly review: ReviewService,
    private readonly suppliers: SuppliersService,
    private readonly merchants: MerchantsService,
    private readonly products: ProductsService,
  ) {}

  /** @throws BAD_REQUEST */
  async list(caller: Caller, { limit, cursor, ...filter }: OrdersQueryDto): Promise<Page<ListedOrderDto>> {
    const request = { ...(await this.toRequest(caller, filter)), limit: pageLimit({ limit }, CONSOLE_LIMIT) };
    return this.listPage(caller, request, cursor);
  }

  /** Sends all pages as CSV, and logs the number of sent lines, even if the caller disconnects early. @throws BAD_REQUEST */
  async export(caller: Caller, filter: OrderFilterDto, response: Response): Promise<void> {
    const request = { ...(await this.toRequest(caller, filter)), limit: CSV_PAGE };
    const pages = everyPage((cursor) => this.listPage(caller, request, cursor));
    await answerCsv(response, 'orders.csv', CSV_COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'orders', filter, lines }),
    );
  }

  /** @throws NOT_FOUND */
  async show(caller: Caller, orderNumber: string): Promise<OrderDetailDto> {
    return toOrderDetailDto(await this.orders.show(orderNumber), caller);
  }

  async search(caller: Caller, term: string): Promise<FoundDto> {
    const orders = await this.orders.search(term, caller.may('players.read'), MAX_FOUND);
    const merchants = matches(await this.merchants.list(), ({ id }) => String(id), term);
    const products = matches(await this.products.list(), ({ sku }) => sku, term);
    return {
      orders: orders.map((order) => toFoundOrderDto(order, caller)),
      merchants: merchants.map((each) => pick(each, 'id', 'name')),
      products: products.map((each) => pick(each, 'sku', 'name')),
    };
  }

  /** @throws BAD_REQUEST */
  async listReview(caller: Caller, { supplier, state, cursor, limit }: ReviewQueryDto): Promise<Page<ReviewUnitDto>> {
    const filter = { supplierIds: await this.findSupplierIds(supplier), states: valuesOf<ReviewState>(state) };
    const page = await this.review.page({ ...filter, cursor, limit: pageLimit({ limit }, CONSOLE_LIMIT) });
    const censors = await this.orders.censors(page.data, caller);
    return { ...page, data: page.data.map((row) => toReviewUnitDto(row, caller, censors(row))) };
  }

  /** @throws NOT_FOUND; CONFLICT while another operator's claim of the unit is valid. */
  async claim(caller: Caller, orderNumber: string, unit: Unit): Promise<ClaimedDto> {
    const claim = await this.toClaim(orderNumber, unit);
    return { until: await this.review.claim(claim, caller.id, caller.actor()) };
  }

  /** @throws NOT_FOUND */
  async release(caller: Caller, orderNumber: string, unit: Unit): Promise<ClaimedDto> {
    await this.review.release(await this.toClaim(orderNumber, unit), caller.id, caller.actor());
    return { until: null };
  }

  private async listPage(
    caller: Caller,
    request: Omit<PageRequest, 'cursor'>,
    cursor: string | undefined,
  ): Promise<Page<ListedOrderDto>> {
    const page = await this.orders.page({ ...request, cursor });
    return { ...page, data: page.data.map((order) => toListedOrderDto(order, caller)) };
  }

  /** @throws BAD_REQUEST */
  private async toRequest(
    caller: Caller,
    { status, merchant, sku, supplier, failure, from, to, q }: OrderFilterDto,
  ): Promise<Omit<PageRequest, 'limit' | 'cursor'>> {
    const { from: createdFrom, to: createdTo } = checkedPeriod({ from, to });
    return {
      statuses: valuesOf<OrderStatus>(status),
      sku,
      failureCodes: valuesOf<FailureCode>(failure),
      createdFrom,
      createdTo,
      term: q,
      merchantIds: idsOf(merchant),
      supplierIds: await this.findSupplierIds(supplier),
      withPlayers: caller.may('players.read'),
    };
  }

  private async findSupplierIds(codes: string | undefined): Promise<[number, ...number[]] | undefined> {
    const wanted = valuesOf(codes);
    if (wanted === undefined) return undefined;
    const suppliers = await this.suppliers.list();
    const [first, ...others] = suppliers.filter(({ code }) => wanted.includes(code)).map(({ id }) => id);
    return [first ?? NO_SUPPLIER_ID, ...others];
  }

  private async toClaim(orderNumber: string, unit: Unit): Promise<Claim> {
    const { order } = await this.orders.getUnit(orderNumber, unit);
    return { orderId: order.id, merchantId: order.merchant_id, ...unit };
  }
}

/** Returns items with the term as their key, then items with the term in their name, up to {@link MAX_FOUND}. */
function matches<Item extends { name: string }>(items: Item[], keyOf: (item: Item) => string, term: string): Item[] {
  const part = term.toLowerCase();
  const exact = items.filter((item) => keyOf(item) === term);
  const similar = items.filter((item) => keyOf(item) !== term && item.name.toLowerCase().includes(part));
  return [...exact, ...similar].slice(0, MAX_FOUND);
}
