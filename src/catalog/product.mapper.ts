import { formatBaht } from '../core/money.js';
import type { Listing } from './listings.repository.js';
import type { ProductDto } from './product.dto.js';

export function toProductDto(listing: Listing): ProductDto {
  return {
    sku: listing.sku,
    name: listing.name,
    currency: 'THB',
    list_price: formatBaht(listing.list_price),
    price: formatBaht(listing.own_price),
    requires_server: listing.requires_server,
    requires_character: listing.requires_character,
    max_quantity: listing.max_quantity,
    kind: listing.kind,
    available: listing.available,
  };
}
