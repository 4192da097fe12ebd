import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { ReasonDto } from '../reason.dto.js';
import { CancelDto, CancellationDto, InquiryDto, NoteDto, ResolveDto, RevealedDto } from './decision.dto.js';
import { DecisionsService } from './decisions.service.js';
import { ConsoleOrdersService } from './console-orders.service.js';
import { OrderFilterDto, OrdersQueryDto } from './order-queries.dto.js';
import { ListedOrderDto, OrderDetailDto } from './order.dto.js';
import { OrderNumber, UnitName, type Unit } from './unit-name.js';

@ApiTags('Orders')
@Controller('api')
export class ConsoleOrdersController {
  constructor(
    private readonly orders: ConsoleOrdersService,
    private readonly decisions: DecisionsService,
  ) {}

  @Get('orders')
  @ConsoleRoute('orders.read', 'Orders of all merchants, newest first', [ListedOrderDto], {
    description:
      'If few of many orders match the filter, a page may have fewer orders than `limit`, or none. More pages follow as long as there is a `next_cursor`.',
  })
  list(@CurrentCaller() caller: Caller, @Query() query: OrdersQueryDto): Promise<Page<ListedOrderDto>> {
    return this.orders.list(caller, query);
  }

  @Get('orders.csv')
  @ConsoleRoute('exports.run', 'The orders of a filter as CSV, at most 1,000,000 lines', 'csv', {
    description: 'UTF-8 with a byte order mark. The audit log records the filters and the number of lines.',
  })
  export(@CurrentCaller() caller: Caller, @Query() query: OrderFilterDto, @Res() response: Response): Promise<void> {
    return this.orders.export(caller, query, response);
  }

  @Get('orders/:number')
  @ConsoleRoute('orders.read', 'An order with its money, its units and everything that happened to it', OrderDetailDto)
  show(@CurrentCaller() caller: Caller, @OrderNumber() number: string): Promise<OrderDetailDto> {
    return this.orders.show(caller, number);
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
}
