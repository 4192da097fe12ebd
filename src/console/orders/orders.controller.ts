import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { FailureCode } from '../../core/failures.js';
import { answerCsv, everyPage, membersOf, type CsvColumns } from '../../core/http/csv-answer.js';
import { checkedPeriod } from '../../core/moments.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import type { OrderStatus } from '../../orders/states.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { OrderSupportService, type PageRequest } from '../../support/order-support.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { logExport } from '../export-log.js';
import { idsOf, supplierIdsOf, valuesOf } from '../filters.js';
import { pageOf } from '../lists.js';
import { ReasonDto } from '../reason.dto.js';
import { CancelDto, CancellationDto, InquiryDto, NoteDto, ResolveDto, RevealedDto } from './decision.dto.js';
import { DecisionsService } from './decisions.service.js';
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

/** Orders, as the caller may see them. */
@ApiTags('Orders')
@Controller('api')
export class ConsoleOrdersController {
  constructor(
    private readonly database: Database,
    private readonly orders: OrderSupportService,
    private readonly suppliers: SuppliersService,
    private readonly decisions: DecisionsService,
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
  note(@CurrentCaller() caller: Caller, @OrderNumber() number: string, @Body() body: NoteDto): Promise<OrderDetailDto> {
    return this.decisions.note(caller, number, body);
  }

  @Post('orders/:number/cancellation')
  @ConsoleRoute('orders.cancel', 'Cancel units of an order that were certainly not bought', CancellationDto, {
    description:
      'The merchant gets their price back. `left` has the units that were not cancelled, and why. 409 if no unit could be cancelled.',
  })
  cancel(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @Body() body: CancelDto,
  ): Promise<CancellationDto> {
    return this.decisions.cancel(caller, number, body);
  }

  @Post('orders/:number/units/:unit/inquire')
  @ConsoleRoute('orders.resolve', 'Ask a unit’s supplier about the unit; changes nothing but the log', InquiryDto, {
    description: '409 if the supplier answers no inquiry, or only one that may buy.',
  })
  inquire(@CurrentCaller() caller: Caller, @OrderNumber() number: string, @UnitName() unit: Unit): Promise<InquiryDto> {
    return this.decisions.inquire(caller, number, unit);
  }

  @Post('orders/:number/units/:unit/code')
  @ConsoleRoute('codes.reveal', 'Show what was handed over for a unit, such as its code', RevealedDto, {
    description:
      'The audit log records this before the code is shown. Asks for confirmation. 404 if nothing was handed over.',
  })
  reveal(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() unit: Unit,
    @Body() { reason }: ReasonDto,
  ): Promise<RevealedDto> {
    return this.decisions.reveal(caller, number, unit, reason);
  }

  @Post('orders/:number/units/:unit/resolution')
  @ConsoleRoute('orders.resolve', 'Settle a unit that is in doubt or in review', OrderDetailDto, {
    description:
      'Has the same effect as a definite answer of the supplier. Asks for confirmation if the unit’s price is above ' +
      '`confirm_above`. 409 if the unit is neither in doubt nor in review, or another attempt has begun.',
  })
  resolve(
    @CurrentCaller() caller: Caller,
    @OrderNumber() number: string,
    @UnitName() unit: Unit,
    @Body() body: ResolveDto,
  ): Promise<OrderDetailDto> {
    return this.decisions.resolve(caller, number, unit, body);
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
