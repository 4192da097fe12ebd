import { Body, Controller, Delete, Get, Inject, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ProductsService } from '../../catalog/products.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { pick } from '../../core/members.js';
import { formatBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { BatchResolutionService } from '../../support/batch-resolution.service.js';
import { sumOf, summaryOf } from '../../support/batch-summary.js';
import { OrderSupportService } from '../../support/order-support.service.js';
import { ReviewService, type Claim } from '../../support/review.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { supplierIdsOf, valuesOf } from '../filters.js';
import { pageOf } from '../lists.js';
import { BatchPreviewDto, BatchResolvedDto, NamedUnitsDto, ResolveManyDto } from './decision.dto.js';
import { toChosenUnit, toNamedUnitDto, toOutcome, toUndecidedUnitDto } from './decision.mapper.js';
import { ReviewQueryDto, SearchQueryDto, type ReviewState } from './order-queries.dto.js';
import { toFoundOrderDto, toReviewUnitDto } from './order.mapper.js';
import { ClaimedDto, FoundDto, ReviewUnitDto } from './review.dto.js';
import { OrderNumber, UnitName, type Unit } from './unit-name.js';

/** A search shows at most this many results of each kind. */
const MAX_FOUND = 5;

/** The review queue and the search, as the caller may see them. */
@ApiTags('Review')
@Controller('api')
export class ReviewController {
  constructor(
    private readonly orders: OrderSupportService,
    private readonly review: ReviewService,
    private readonly batch: BatchResolutionService,
    private readonly suppliers: SuppliersService,
    private readonly merchants: MerchantsService,
    private readonly products: ProductsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('review')
  @ConsoleRoute('orders.read', 'Units in review, then units in doubt, the oldest orders first', [ReviewUnitDto])
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { supplier, state, ...query }: ReviewQueryDto,
  ): Promise<Page<ReviewUnitDto>> {
    const supplierIds = await supplierIdsOf(supplier, this.suppliers);
    const page = await this.review.page({ supplierIds, states: valuesOf<ReviewState>(state), ...pageOf(query) });
    const masks = await this.orders.masks(page.data, caller);
    return { ...page, data: page.data.map((row) => toReviewUnitDto(row, caller, masks(row))) };
  }

  @Post('review/resolution/preview')
  @ConsoleRoute(
    'orders.resolve',
    'Show what one decision about several units would settle; changes nothing',
    BatchPreviewDto,
  )
  async preview(@Body() { units: chosen }: NamedUnitsDto): Promise<BatchPreviewDto> {
    const summary = summaryOf(await this.batch.listStatus(chosen.map(toChosenUnit)));
    return {
      ...summary,
      amount: formatBaht(summary.amount),
      merchants: summary.merchants.map((share) => ({ ...share, amount: formatBaht(share.amount) })),
      left: summary.left.map(toUndecidedUnitDto),
    };
  }

  @Post('review/resolution')
  @ConsoleRoute(
    'orders.resolve',
    'Settle up to 100 units by one decision, all of one supplier or of one order',
    BatchResolvedDto,
    {
      description:
        'Each unit is settled by itself, and has its own entry in the log. `left` has the units that were not settled, such as ' +
        'units that another operator settled meanwhile. Asks for confirmation if the prices of all units add up to more than ' +
        '`confirm_above`.',
    },
  )
  async resolve(
    @CurrentCaller() caller: Caller,
    @Body() { units: chosen, reason, ...decision }: ResolveManyDto,
  ): Promise<BatchResolvedDto> {
    const outcome = toOutcome(decision);
    const units = await this.batch.listStatus(chosen.map(toChosenUnit));
    if (sumOf(units) > this.config.console.confirmAbove) caller.assertConfirmed();
    const { resolved, left } = await this.batch.resolve(units, outcome, caller.actor(), reason);
    return {
      resolved: resolved.map(toNamedUnitDto),
      amount: formatBaht(sumOf(resolved)),
      left: left.map(toUndecidedUnitDto),
    };
  }

  @Put('review/:number/:unit/claim')
  @ConsoleRoute('orders.resolve', 'Claim a unit, or extend the claim: ten minutes from now', ClaimedDto, {
    description:
      'A claim shows other operators that the caller looks after the unit. 409 while another operator’s claim is valid. Every operator may still settle the unit.',
  })
  async claim(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() unit: Unit,
  ): Promise<ClaimedDto> {
    return { until: await this.review.claim(await this.toClaim(number, unit), caller.id, caller.actor()) };
  }

  @Delete('review/:number/:unit/claim')
  @ConsoleRoute('orders.resolve', 'End your claim of a unit', ClaimedDto)
  async release(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() unit: Unit,
  ): Promise<ClaimedDto> {
    await this.review.release(await this.toClaim(number, unit), caller.id, caller.actor());
    return { until: null };
  }

  @Get('search')
  @ConsoleRoute('orders.read', 'Find orders, merchants and products by a term, at most five of each', FoundDto)
  async search(@CurrentCaller() caller: Caller, @Query() { q: term }: SearchQueryDto): Promise<FoundDto> {
    const orders = await this.orders.search(term, caller.may('players.read'), MAX_FOUND);
    const merchants = matches(await this.merchants.list(), ({ id }) => String(id), term);
    const products = matches(await this.products.list(), ({ sku }) => sku, term);
    return {
      orders: orders.map((order) => toFoundOrderDto(order, caller)),
      merchants: merchants.map((each) => pick(each, 'id', 'name')),
      products: products.map((each) => pick(each, 'sku', 'name')),
    };
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
