import { ApiProperty } from '@nestjs/swagger';
import { meanings } from '../core/http/answer.decorators.js';
import { PRODUCT_KINDS } from '../core/product-kind.js';

const KINDS = {
  topup: 'goes to the player that the order names',
  code: 'is a code, which `GET /v1/orders/{reference_id}` shows; the `user_id` of the order is your name for the buyer',
};

/** A product as one merchant can order it. */
export class ProductDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: 'Mobile Legends: 86 Diamonds' }) name!: string;
  @ApiProperty({ example: 'THB' }) currency!: string;
  @ApiProperty({ example: '35.00', description: 'List price of one unit' })
  list_price!: string;
  @ApiProperty({ example: '33.00', description: 'Your price of one unit' }) price!: string;
  @ApiProperty({ example: true, description: 'Whether an order needs a `server_id`' }) requires_server!: boolean;
  @ApiProperty({ example: false, description: 'Whether an order needs a `character_id`' }) requires_character!: boolean;
  @ApiProperty({ type: 'integer', example: 100, description: 'Maximum quantity of one item of an order' })
  max_quantity!: number;
  @ApiProperty({ enum: PRODUCT_KINDS, example: 'topup', description: meanings('A unit of this kind', KINDS) })
  kind!: string;
  @ApiProperty({ example: true, description: 'Whether you can order the product now' })
  available!: boolean;
}
