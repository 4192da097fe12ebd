import { ApiProperty } from '@nestjs/swagger';

/** A product as one merchant can order it. */
export class ProductDto {
  @ApiProperty({ example: 'MLBB-86' }) sku!: string;
  @ApiProperty({ example: 'Mobile Legends: 86 Diamonds' }) name!: string;
  @ApiProperty({ example: 'THB' }) currency!: string;
  @ApiProperty({ example: '35.00', description: 'List price of one piece' })
  list_price!: string;
  @ApiProperty({ example: '33.00', description: 'Your price of one piece' }) price!: string;
  @ApiProperty({ example: true }) requires_server!: boolean;
  @ApiProperty({ example: false }) requires_character!: boolean;
  @ApiProperty({ type: 'integer', example: 100, description: 'Maximum quantity of one item of an order' })
  max_quantity!: number;
  @ApiProperty({ example: true, description: 'Whether it can be ordered now' })
  available!: boolean;
}
