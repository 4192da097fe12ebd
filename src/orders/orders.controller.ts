import { Body, Controller, Get, Param, Post, Query, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { RequestId } from '../core/http/request-id.middleware.js';
import type { Page } from '../core/pagination.js';
import { CreateOrderDto, OrderListQuery } from './order-requests.dto.js';
import { OrderDto } from './order.dto.js';
import { OrdersService, type CreatedOrder } from './orders.service.js';
import type { Response } from 'express';

/** Returns the order of the result. If the result is replayed, also sets the header `Idempotent-Replayed` of the response. */
type WithReplayHeader = (created: CreatedOrder) => OrderDto;

/** Not an interceptor, which would add a sixth to the HTTP cost of an order (`npm run bench -- http-path`). */
const ReplayHeader = createParamDecorator((_: unknown, context: ExecutionContext): WithReplayHeader => {
  const response = context.switchToHttp().getResponse<Response>();
  return ({ order, replayed }) => {
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return order;
  };
});

const ORDER_EXAMPLES = {
  'One unit': {
    reference_id: 'order-1002',
    user_id: '123456789',
    server_id: '2001',
    items: [{ sku: 'MLBB-86' }],
  },
  'Several products': {
    reference_id: 'order-1003',
    user_id: '123456789',
    server_id: '2001',
    items: [
      { sku: 'MLBB-86', quantity: 2 },
      { sku: 'MLBB-172', quantity: 1 },
    ],
  },
  'At most this price, and texts of your own': {
    reference_id: 'order-1004',
    user_id: '123456789',
    server_id: '2001',
    items: [{ sku: 'MLBB-86', quantity: 2 }],
    max_total_amount: '70.00',
    metadata: { cart: 'c-8812' },
    end_user_ip: '203.0.113.7',
  },
};

@ApiTags('Orders')
@ApiSecurity('api-key')
@Controller('v1/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  @ApiRoute({
    summary: 'Create an order',
    description:
      'Charges the wallet and starts the top-up. Repeating the request returns the same order as it stands, with the ' +
      'header `Idempotent-Replayed: true`.',
    body: { type: CreateOrderDto, examples: ORDER_EXAMPLES },
    answer: {
      type: OrderDto,
      description: 'The order',
      headers: {
        'Idempotent-Replayed': {
          schema: { type: 'string', enum: ['true'] },
          description:
            'An earlier request placed this order, and this request charged nothing. The response for a new order does not have this header',
          example: 'true',
        },
      },
    },
    errors: [
      'BAD_REQUEST',
      'DUPLICATE_REFERENCE',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'INSUFFICIENT_BALANCE',
    ],
  })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateOrderDto,
    @RequestId() requestId: string,
    @ReplayHeader() withReplayHeader: WithReplayHeader,
  ): Promise<OrderDto> {
    return withReplayHeader(await this.orders.create(caller, body, requestId));
  }

  @Get()
  @ApiRoute({
    summary: 'List your orders, newest first',
    description: 'A page at a time: `next_cursor` of an answer is the `cursor` of the next request, null at the end.',
    answer: { pageOf: OrderDto, description: 'A page of orders' },
    errors: ['BAD_REQUEST'],
  })
  list(@CurrentCaller() caller: Caller, @Query() query: OrderListQuery): Promise<Page<OrderDto>> {
    return this.orders.list(caller.merchantId, query);
  }

  @Get(':reference_id')
  @ApiParam({
    name: 'reference_id',
    description: 'The reference_id given at creation',
    example: 'order-1001',
  })
  @ApiRoute({
    summary: 'Follow an order',
    description: 'By your `reference_id`; `order_number` is not accepted.',
    answer: { type: OrderDto, description: 'The order as it stands now' },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  get(@CurrentCaller() caller: Caller, @Param('reference_id') referenceId: string): Promise<OrderDto> {
    return this.orders.get(caller.merchantId, referenceId);
  }
}
