import { ApiProperty } from '@nestjs/swagger';
import { formatBaht, type Satang } from '../core/money.js';

/** A product as one merchant can order it. */
export class ProductDto {
  @ApiProperty({ type: String, example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ type: String, example: 'Mobile Legends: 86 Diamonds' }) name!: string;
  @ApiProperty({ type: String, example: 'THB' }) currency!: string;
  @ApiProperty({ type: String, example: '35.00', description: 'List price of one piece' })
  list_price!: string;
  @ApiProperty({ type: String, example: '33.00', description: 'What one piece costs you' }) price!: string;
  @ApiProperty({ type: Boolean, example: true }) requires_server!: boolean;
  @ApiProperty({ type: Boolean, example: false }) requires_character!: boolean;
  @ApiProperty({ type: 'integer', example: 100, description: 'Most pieces in one item of an order' })
  max_quantity!: number;
  @ApiProperty({ type: Boolean, example: true, description: 'Whether it can be ordered now' })
  available!: boolean;
}

export interface OfferRow {
  id: number;
  sku: string;
  name: string;
  list_price: Satang;
  own_price: Satang;
  requires_server: boolean;
  requires_character: boolean;
  max_quantity: number;
  active: boolean;
}

export function toProductDto(row: OfferRow): ProductDto {
  return {
    sku: row.sku,
    name: row.name,
    currency: 'THB',
    list_price: formatBaht(row.list_price),
    price: formatBaht(row.own_price),
    requires_server: row.requires_server,
    requires_character: row.requires_character,
    max_quantity: row.max_quantity,
    available: row.active,
  };
}
