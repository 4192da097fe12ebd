import { Body, Controller, Get, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { notFound } from '../../core/errors.js';
import type { FailureCode } from '../../core/failures.js';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import { checkedPeriod } from '../../core/moments.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { UnitDeliveriesService } from '../../orders/codes/unit-deliveries.service.js';
import { unitName } from '../../orders/order.rows.js';
import type { OrderStatus } from '../../orders/states.js';
import { SupplierQueriesService } from '../../suppliers/supplier-queries.service.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { UnitInquiryService } from '../../suppliers/unit-inquiry.service.js';
import { OrderCancellationService } from '../../support/order-cancellation.service.js';
import { OrderResolutionService } from '../../support/order-resolution.service.js';
import { OrderSupportService, type PageRequest } from '../../support/order-support.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { logExport } from '../export-log.js';
import { idsOf, supplierIdsOf, valuesOf } from '../filters.js';
import { pageOf } from '../lists.js';
import { ReasonDto } from '../reason.dto.js';
import { CancelDto, CancellationDto, InquiryDto, NoteDto, ResolveDto, RevealedDto } from './decision.dto.js';
import { toLeftUnitDto, toNamedUnits, toOutcome } from './decision.mapper.js';
import { OrderFilterDto, OrdersQueryDto } from './order-queries.dto.js';
import { ListedOrderDto, OrderDetailDto } from './order.dto.js';
import { toListedOrderDto, toOrderDetailDto } from './order.mapper.js';
import { OrderNumber, UnitName, type Unit } from './unit-name.js';

const CSV_PAGE = 1_000;

const CSV_COLUMNS: CsvColumns<ListedOrderDto> = {
  ...membersOf<ListedOrderDto>('order_number'),
  merchant_id: ({ merchant }) => merchant.id,
  merchant: ({ merchant }) => merchant.name,
  ...membersOf<ListedOrderDto>('reference_id user_id server_id character_id'),
  items: ({ items }) => items.map(({ sku, quantity }) => `${quantity} ${sku}`).join('; '),
  ...membersOf<ListedOrderDto>('status total_amount failure_code created_at ended_at'),
};

/** Orders, as the caller may see them, and operators' decisions about them. */
@ApiTags('Orders')
@Controller('api')
export class ConsoleOrdersController {
  constructor(
    private readonly database: Database,
    private readonly orders: OrderSupportService,
    private readonly suppliers: SuppliersService,
    private readonly cancellation: OrderCancellationService,
    private readonly resolution: OrderResolutionService,
    private readonly inquiry: UnitInquiryService,
    private readonly queries: SupplierQueriesService,
    private readonly deliveries: UnitDeliveriesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('orders')
  @ConsoleRoute('orders.read', 'Orders of all merchants, newest first', [ListedOrderDto], {
    description:
      'If few of many orders match the filter, a page may have fewer orders than `limit`, or none. More pages follow as long as there is a `next_cursor`.',
  })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { limit, cursor, ...filter }: OrdersQueryDto,
  ): Promise<Page<ListedOrderDto>> {
    return this.listPage(caller, { ...(await this.toRequest(caller, filter)), ...pageOf({ limit, cursor }) });
  }

  @Get('orders.csv')
  @ConsoleRoute('exports.run', 'The orders of a filter as CSV, at most 1,000,000 lines', 'csv', {
    description: 'UTF-8 with a byte order mark. The audit log records the filters and the number of lines.',
  })
  async export(
    @CurrentCaller() caller: Caller,
    @Query() filter: OrderFilterDto,
    @Res() response: Response,
  ): Promise<void> {
    const request = { ...(await this.toRequest(caller, filter)), limit: CSV_PAGE };
    const pages = everyPage((cursor) => this.listPage(caller, { ...request, cursor }));
    await answerCsv(response, 'orders.csv', CSV_COLUMNS, pages, (lines) =>
      logExport(this.database, caller, { list: 'orders', filter, lines }),
    );
  }

  @Get('orders/:number')
  @ConsoleRoute('orders.read', 'An order with its money, its units and everything that happened to it', OrderDetailDto)
  async show(@CurrentCaller() caller: Caller, @OrderNumber() number: string): Promise<OrderDetailDto> {
    return toOrderDetailDto(await this.orders.show(number), caller);
  }

  @Post('orders/:number/notes')
  @ConsoleRoute('orders.note', 'Write a note of 1 to 2,000 characters into an order’s history', OrderDetailDto, {
    status: 201,
  })
  async note(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @Body() { text }: NoteDto,
  ): Promise<OrderDetailDto> {
    await this.orders.note(number, text, caller.actor());
    return this.show(caller, number);
  }

  @Post('orders/:number/cancellation')
  @ConsoleRoute('orders.cancel', 'Cancel units of an order that were certainly not bought', CancellationDto, {
    description:
      'The merchant gets their price back. `left` has the units that were not cancelled, and why. 409 if no unit could be cancelled.',
  })
  async cancel(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @Body() { reason, ...named }: CancelDto,
  ): Promise<CancellationDto> {
    const { cancelled, uncancelled } = await this.cancellation.cancel({
      order: await this.orders.get(number),
      units: toNamedUnits(named),
      by: caller.actor(reason),
    });
    return {
      cancelled: cancelled.map(unitName),
      left: uncancelled.map(toLeftUnitDto),
      order: await this.show(caller, number),
    };
  }

  @Post('orders/:number/units/:unit/inquire')
  @ConsoleRoute('orders.resolve', 'Query a unit’s supplier about the unit; writes only to the audit log', InquiryDto, {
    description:
      'If the supplier has another address or account than when the unit was sent, any result but a success is `unknown`. 409 if ' +
      'the supplier offers no inquiry, or if its inquiry could itself buy the unit. Also 409 while the supplier is paused because it ' +
      'bans us or refuses our credentials. 429 during another inquiry at the supplier, and for ten seconds ' +
      'after it.',
  })
  async inquire(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() unit: Unit,
  ): Promise<InquiryDto> {
    const { order, attempt } = await this.orders.getUnit(number, unit);
    if (!attempt) throw notFound('attempt');
    const { supplier, supplier_sku: sku, reference, supplier_reference: supplierReference, sent_to: sentTo } = attempt;
    const result = await this.queries.run('inquiry', supplier, () =>
      this.inquiry.inquire(supplier, { sku, reference, supplierReference }, sentTo),
    );
    const detail = { unit: unitName(unit), supplier, result: result.outcome };
    await this.orders.record(order, 'order.inquire', detail, caller.actor());
    return { supplier, reference, ...result, asked_at: new Date() };
  }

  @Post('orders/:number/units/:unit/code')
  @ConsoleRoute('codes.reveal', 'Show what was handed over for a unit, such as its code', RevealedDto, {
    description:
      'The audit log records this before the code is shown. Asks for confirmation. 404 if nothing was handed over, or the item ' +
      'has not ended.',
  })
  async reveal(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() name: Unit,
    @Body() { reason }: ReasonDto,
  ): Promise<RevealedDto> {
    caller.assertConfirmed();
    const order = await this.orders.get(number);
    const ofItem = (await this.deliveries.ofOrder(order.id)).get(name.item) ?? [];
    const delivered = ofItem.filter(({ unit }) => unit === name.unit);
    if (delivered.length === 0) throw notFound('code');
    const unit = unitName(name);
    await this.orders.record(order, 'code.reveal', { unit }, caller.actor(reason));
    return { unit, pieces: delivered.map(({ unit: _unit, ...code }) => code) };
  }

  @Post('orders/:number/units/:unit/resolution')
  @ConsoleRoute('orders.resolve', 'Settle a unit that is in doubt or in review', OrderDetailDto, {
    description:
      'Has the same effect as a definite answer of the supplier. Asks for confirmation if the unit’s price is above ' +
      '`confirm_above`. 409 if the unit is neither in doubt nor in review, or another attempt has begun.',
  })
  async resolve(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() unit: Unit,
    @Body() { reason, attempt, ...decision }: ResolveDto,
  ): Promise<OrderDetailDto> {
    const outcome = toOutcome(decision);
    const { order, price, attempt: latest } = await this.orders.getUnit(number, unit);
    if (price > this.config.console.confirmAbove) caller.assertConfirmed();
    const seenAttempt = attempt ?? latest?.number;
    await this.resolution.resolve({ ...caller.actor(), order, ...unit, seenAttempt, outcome, reason });
    return this.show(caller, number);
  }

  private async listPage(caller: Caller, request: PageRequest): Promise<Page<ListedOrderDto>> {
    const page = await this.orders.page(request);
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
      supplierIds: await supplierIdsOf(supplier, this.suppliers),
      withPlayers: caller.may('players.read'),
    };
  }
}
