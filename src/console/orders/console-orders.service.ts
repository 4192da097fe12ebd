import { Injectable } from '@nestjs/common';
import { invalidRequest } from '../../core/errors.js';
import { formatBaht } from '../../core/money.js';
import { readMoment } from '../../core/moments.js';
import { pageLimit, type Page } from '../../core/pagination.js';
import { ProductsService } from '../../catalog/products.service.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { unitName } from '../../orders/order.rows.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { OrderOverviewService, type OverviewRequest } from '../../support/order-overview.service.js';
import { ReviewService, type Claim } from '../../support/review.service.js';
import type { ReviewRow } from '../../support/review.repository.js';
import type { Caller } from '../access/caller.js';
import { CONSOLE_LIMIT, type OrderFilterDto, type OrdersQueryDto, type ReviewQueryDto } from './order-queries.dto.js';
import type { ListedOrderDto, OrderDetailDto } from './order.dto.js';
import { toListedOrderDto, toOrderDetailDto } from './order.mapper.js';
import { PlayerMaskingService } from './player-masking.service.js';
import type { Censor } from './players.js';
import type { ClaimedDto, FoundDto, ReviewUnitDto } from './review.dto.js';
import type { Unit } from './unit-name.js';

/** So many of each kind a search shows. */
const MAX_FOUND = 5;
/** The id of no supplier: nothing is from one that there is not. */
const NOBODY = -1;

/** Orders, as the pages ask for them. */
@Injectable()
export class ConsoleOrdersService {
  constructor(
    private readonly overview: OrderOverviewService,
    private readonly review: ReviewService,
    private readonly suppliers: SuppliersService,
    private readonly merchants: MerchantsService,
    private readonly products: ProductsService,
    private readonly players: PlayerMaskingService,
  ) {}

  /** @throws BAD_REQUEST */
  async list(caller: Caller, { limit, cursor, ...filter }: OrdersQueryDto): Promise<Page<ListedOrderDto>> {
    const question = await this.questionOf(caller, filter);
    const page = await this.overview.page({ ...question, cursor, limit: pageLimit({ limit }, CONSOLE_LIMIT) });
    return { ...page, data: page.data.map((order) => toListedOrderDto(order, caller)) };
  }

  /** @throws NOT_FOUND */
  async show(caller: Caller, orderNumber: string): Promise<OrderDetailDto> {
    return toOrderDetailDto(await this.overview.show(orderNumber), caller);
  }

  async search(caller: Caller, term: string): Promise<FoundDto> {
    const orders = await this.overview.find(term, caller.may('players.read'), MAX_FOUND);
    const merchants = matches(await this.merchants.list(), ({ id }) => String(id), term);
    const products = matches(await this.products.list(), ({ sku }) => sku, term);
    return {
      orders: orders.map((order) => ({
        order_number: order.order_number,
        found_as: order.found_as,
        merchant: { id: order.merchant_id, name: order.merchant_name },
        reference_id: order.reference_id,
        status: order.status,
        total_amount: formatBaht(order.total_amount),
        created_at: order.created_at.toISOString(),
      })),
      merchants: merchants.slice(0, MAX_FOUND).map(({ id, name }) => ({ id, name })),
      products: products.slice(0, MAX_FOUND).map(({ sku, name }) => ({ sku, name })),
    };
  }

  /** @throws BAD_REQUEST */
  async listReview(caller: Caller, { supplier, state, cursor, limit }: ReviewQueryDto): Promise<Page<ReviewUnitDto>> {
    const supplierId = await this.supplierId(supplier);
    const question = { supplierId, state, cursor, limit: pageLimit({ limit }, CONSOLE_LIMIT) };
    const page = await this.review.page(question);
    const censors = await this.players.censors(page.data, caller);
    return { ...page, data: page.data.map((row) => toReviewUnitDto(row, caller, censors(row))) };
  }

  /** @throws NOT_FOUND; CONFLICT while somebody else looks after it. */
  async claim(caller: Caller, orderNumber: string, unit: Unit): Promise<ClaimedDto> {
    const claim = await this.claimOf(orderNumber, unit);
    return { until: (await this.review.claim(claim, caller.id, caller.actor())).toISOString() };
  }

  /** @throws NOT_FOUND */
  async release(caller: Caller, orderNumber: string, unit: Unit): Promise<ClaimedDto> {
    await this.review.release(await this.claimOf(orderNumber, unit), caller.id, caller.actor());
    return { until: null };
  }

  /** What a filter of the pages asks of the orders. @throws BAD_REQUEST */
  async questionOf(
    caller: Caller,
    { status, merchant, sku, supplier, failure, from, to, q }: OrderFilterDto,
  ): Promise<Omit<OverviewRequest, 'limit' | 'cursor'>> {
    const [since, until] = [readOptional(from), readOptional(to)];
    if (since && until && since >= until) {
      const message = 'to must be later than from';
      throw invalidRequest([{ field: 'to', code: 'INVALID_VALUE', message }]);
    }
    return {
      status,
      sku,
      failureCode: failure,
      from: since,
      to: until,
      term: q,
      merchantId: merchant === undefined ? undefined : Number(merchant),
      supplierId: await this.supplierId(supplier),
      withPlayers: caller.may('players.read'),
    };
  }

  private async supplierId(code: string | undefined): Promise<number | undefined> {
    if (code === undefined) return undefined;
    const found = (await this.suppliers.list()).find((supplier) => supplier.code === code);
    return found?.id ?? NOBODY;
  }

  private async claimOf(orderNumber: string, unit: Unit): Promise<Claim> {
    const { order } = await this.overview.getUnit(orderNumber, unit);
    return { orderId: order.id, merchantId: order.merchant_id, ...unit };
  }
}

/** What the term identifies, then what has it in its name. */
function matches<Item extends { name: string }>(items: Item[], nameOf: (item: Item) => string, term: string): Item[] {
  const part = term.toLowerCase();
  const exact = items.filter((item) => nameOf(item) === term);
  const similar = items.filter((item) => nameOf(item) !== term && item.name.toLowerCase().includes(part));
  return [...exact, ...similar];
}

const readOptional = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : (readMoment(text) ?? undefined);

const toReviewUnitDto = (row: ReviewRow, caller: Caller, censor: Censor): ReviewUnitDto => ({
  order_number: row.order_number,
  unit: unitName(row),
  state: row.state,
  merchant: { id: row.merchant_id, name: row.merchant_name },
  reference_id: row.reference_id,
  supplier: row.supplier,
  reference: row.reference ?? `${row.order_number}.${unitName(row)}`,
  supplier_reference: censor(row.supplier_reference),
  sku: row.sku,
  amount: formatBaht(row.unit_price),
  since: row.unknown_since?.toISOString() ?? null,
  sends: row.sends,
  inquiries: row.inquiries,
  last_call:
    row.last_kind === null || row.last_at === null
      ? null
      : {
          kind: row.last_kind,
          outcome: row.last_outcome ?? '',
          detail: censor(row.last_detail),
          at: row.last_at.toISOString(),
        },
  claim:
    row.claimed_by === null || row.claimed_until === null
      ? null
      : {
          by: row.claimed_by,
          is_mine: row.claimed_by_id === caller.id,
          until: row.claimed_until.toISOString(),
        },
});
