import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Caller } from '../auth/api-key-verifier.js';
import { CurrentCaller } from '../auth/authentication.js';
import { ApiErrors } from '../core/http/api-errors.js';
import { requestIdOf } from '../core/http/request-id.js';
import { ApiPage, type Page } from '../core/pagination.js';
import { CreateOrderDto } from './create-order.dto.js';
import { OrderListQuery } from './order-list.dto.js';
import { OrderDto } from './order.dto.js';
import { OrdersService } from './orders.service.js';

@ApiTags('Orders')
@ApiSecurity('api-key')
@Controller('v1/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Create an order',
    description:
      'Charges the wallet and starts the top-up. The same request sent again answers with the same order, as it ' +
      'stands now, and the header `Idempotent-Replayed: true`.',
  })
  @ApiOkResponse({
    type: OrderDto,
    description: 'The order',
    headers: { 'Idempotent-Replayed': { schema: { type: 'string', enum: ['true'] } } },
  })
  @ApiErrors(
    'BAD_REQUEST',
    'DUPLICATE_REFERENCE',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'INSUFFICIENT_BALANCE',
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateOrderDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderDto> {
    const { order, replayed } = await this.orders.create(caller.merchantId, body, requestIdOf(request));
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return order;
  }

  @Get()
  @ApiOperation({
    summary: 'List your orders, newest first',
    description:
      'A page at a time: `next_cursor` of an answer is the `cursor` of the next request, null at the end.',
  })
  @ApiPage(OrderDto, 'A page of orders')
  @ApiErrors('BAD_REQUEST')
  list(@CurrentCaller() caller: Caller, @Query() query: OrderListQuery): Promise<Page<OrderDto>> {
    return this.orders.list(caller.merchantId, query);
  }

  @Get(':reference_id')
  @ApiOperation({
    summary: 'Follow an order',
    description: 'By the `reference_id` that you gave it; `order_number` finds nothing.',
  })
  @ApiParam({
    name: 'reference_id',
    description: 'The reference_id given at creation',
    example: 'order-1001',
  })
  @ApiOkResponse({ type: OrderDto, description: 'The order as it stands now' })
  @ApiErrors('NOT_FOUND')
  get(@CurrentCaller() caller: Caller, @Param('reference_id') referenceId: string): Promise<OrderDto> {
    return this.orders.get(caller.merchantId, referenceId);
  }
}
