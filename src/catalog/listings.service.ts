import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { formatBaht } from '../core/money.js';
import {
  decodeCursor,
  encodeCursor,
  MAX_INTEGER,
  pageLimit,
  toPage,
  type Page,
  type PageQuery,
} from '../core/pagination.js';
import { mayBeStored } from '../core/text.js';
import { ListingsRepository, type Customer, type Listing } from './listings.repository.js';
import type { ProductDto } from './product.dto.js';

/** The catalogue as one merchant sees it. */
@Injectable()
export class ListingsService {
  constructor(private readonly listings: ListingsRepository) {}

  /** In the order in which products were added. @throws BAD_REQUEST for a bad cursor */
  async list(customer: Customer, query: PageQuery): Promise<Page<ProductDto>> {
    const limit = pageLimit(query);
    const after = Number(decodeCursor(query.cursor, [MAX_INTEGER])?.[0] ?? 0n);
    const rows = await this.listings.page(customer, after, limit + 1);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toProductDto);
  }

  /** @throws NOT_FOUND */
  async get(customer: Customer, sku: string): Promise<ProductDto> {
    const listing = mayBeStored(sku, 128) ? await this.listings.find(customer, sku) : undefined;
    if (!listing) throw new AppError('NOT_FOUND', 'There is no product with this sku');
    return toProductDto(listing);
  }
}

function toProductDto(listing: Listing): ProductDto {
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
