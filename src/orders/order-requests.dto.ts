import {
  Amount,
  Integer,
  IpAddress,
  ListOf,
  Reference,
  Text,
  TextMap,
  Moment,
  OneOf,
} from '../core/validation/member.decorators.js';
import { PageQueryDto } from '../core/http/page-query.dto.js';
import { ORDER_STATUSES, type OrderStatus } from './states.js';

export const MAX_ITEMS = 50;
export const MAX_QUANTITY = 100;

/** The meanings of a player's ids, for the documentation. */
export const PLAYER_IDS = {
  user_id:
    'The player’s account, as the game shows it to the player. In Mobile Legends it is `123456789` of `123456789 (2001)`. ' +
    '[Each game’s ids](/guides/orders#the-players-ids).',
  server_id:
    'The player’s server or zone, if the product has `requires_server`. In Mobile Legends it is `2001` of ' +
    '`123456789 (2001)`, in Genshin Impact a name such as `os_asia`.',
  character_id:
    'The character, if the product has `requires_character`. In Ragnarok M it is the number in the character’s profile, ' +
    'such as `4294967301`.',
};

export class CreateOrderItemDto {
  @Text(1, 64, { example: 'MLBB-86' })
  sku!: string;

  // Not `default`: with it, client generators make the member required.
  @Integer(1, MAX_QUANTITY, { optional: true, example: 2, nullable: true, description: '1 when absent' })
  quantity?: number | null;
}

/** The body of POST /v1/orders (specification, section 4.1). */
export class CreateOrderDto {
  @Reference({
    example: 'order-1001',
    description:
      'Your identifier for the order, and the idempotency key: repeating the request returns the same order and charges once.',
  })
  reference_id!: string;

  @Text(1, 128, { example: '123456789', description: PLAYER_IDS.user_id })
  user_id!: string;

  @ListOf(CreateOrderItemDto, 1, MAX_ITEMS)
  items!: CreateOrderItemDto[];

  @Text(1, 128, { optional: true, example: '2001', nullable: true, description: PLAYER_IDS.server_id })
  server_id?: string | null;

  @Text(1, 128, { optional: true, nullable: true, example: null, description: PLAYER_IDS.character_id })
  character_id?: string | null;

  @Amount({
    optional: true,
    nullable: true,
    example: '70.00',
    description:
      'The maximum that the order may cost, THB. If it costs more, it is refused with `PRICE_CHANGED`, and nothing is ' +
      'charged. An order that was already placed is returned even if it would cost more now.',
  })
  max_total_amount?: string | null;

  @TextMap({
    optional: true,
    nullable: true,
    example: { cart: 'c-8812' },
    description:
      'Your own texts, which the order returns: up to 20, with names of up to 40 characters. A repeated request must ' +
      'have the same texts.',
  })
  metadata?: Record<string, string> | null;

  @IpAddress({
    optional: true,
    nullable: true,
    example: '203.0.113.7',
    description: 'The IP address of the buyer, for suppliers that require it. It is not returned.',
  })
  end_user_ip?: string | null;
}

export class OrderListQuery extends PageQueryDto {
  @OneOf(ORDER_STATUSES, { optional: true })
  status?: OrderStatus;

  @Moment({ optional: true, description: 'Created at this moment or later' })
  created_from?: string;

  @Moment({ optional: true, description: 'Created at this moment or earlier' })
  created_to?: string;

  @Text(1, 128, { optional: true, description: 'The order with this number' })
  order_number?: string;

  @Text(1, 128, { optional: true, description: 'Orders for this player’s account' })
  user_id?: string;

  @Text(1, 128, { optional: true, description: 'The order with this reference' })
  reference_id?: string;
}
