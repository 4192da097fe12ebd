import { ApiProperty } from '@nestjs/swagger';
import { formatBaht } from '../core/money.js';
import type { Offer } from './offers.repository.js';

/** A product as one merchant can order it. */
export class ProductDto {
  @ApiProperty({ type: String, example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ type: String, example: 'Mobile Legends: 86 Diamonds' }) name!: string;
  @ApiProperty({ type: String, example: 'THB' }) currency!: string;
  @ApiProperty({ type: String, example: '35.00', description: 'List price of one piece' })
  list_price!: string;
  @ApiProperty({ type: String, example: '33.00', description: 'Your price of one piece' }) price!: string;
  @ApiProperty({ type: Boolean, example: true }) requires_server!: boolean;
  @ApiProperty({ type: Boolean, example: false }) requires_character!: boolean;
  @ApiProperty({ type: 'integer', example: 100, description: 'Maximum quantity of one item of an order' })
  max_quantity!: number;
  @ApiProperty({ type: Boolean, example: true, description: 'Whether it can be ordered now' })
  available!: boolean;
}

export function toProductDto(offer: Offer): ProductDto {
  return {
    sku: offer.sku,
    name: offer.name,
    currency: 'THB',
    list_price: formatBaht(offer.list_price),
    price: formatBaht(offer.own_price),
    requires_server: offer.requires_server,
    requires_character: offer.requires_character,
    max_quantity: offer.max_quantity,
    available: offer.active,
  };
}
