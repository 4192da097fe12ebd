import { formatBaht } from '../core/money.js';
import type { Offer } from './offers.repository.js';
import type { ProductDto } from './product.dto.js';

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
