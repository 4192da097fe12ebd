import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import {
  decodeCursor,
  encodeCursor,
  MAX_INTEGER,
  pageLimit,
  toPage,
  type Page,
  type PageQuery,
} from '../core/pagination.js';
import { Database, type Statement } from '../database/database.js';
import { Reads } from '../database/reads.js';
import { toProductDto, type OfferRow, type ProductDto } from './product.dto.js';

const OFFERS = `
  SELECT p.id, p.sku, p.name, p.price AS list_price, least(p.price, coalesce(own.price, p.price)) AS own_price,
         p.requires_server, p.requires_character, p.max_quantity, p.active
  FROM products p LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = $1`;

const FIND: Statement = { name: 'offers.find', text: `${OFFERS} WHERE p.sku = $2` };

const PAGE: Statement = {
  name: 'offers.page',
  text: `${OFFERS} WHERE p.id > $2 ORDER BY p.id LIMIT $3`,
};

/** The catalogue as one merchant sees it. */
@Injectable()
export class OffersService {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
  ) {}

  /** In the order in which products were added. @throws BAD_REQUEST for a bad cursor */
  async list(merchantId: number, query: PageQuery): Promise<Page<ProductDto>> {
    const limit = pageLimit(query);
    const after = Number(decodeCursor(query.cursor, [MAX_INTEGER])?.[0] ?? 0n);
    const rows = await this.reads.query<OfferRow>(PAGE, [merchantId, after, limit + 1]);
    return toPage(rows, limit, ({ id }) => encodeCursor(id), toProductDto);
  }

  /** @throws NOT_FOUND */
  async get(merchantId: number, sku: string): Promise<ProductDto> {
    const possible = sku.length <= 128 && !sku.includes('\0') && sku.isWellFormed();
    const [row] = possible ? await this.database.query<OfferRow>(FIND, [merchantId, sku]) : [];
    if (!row) throw new AppError('NOT_FOUND', 'There is no product with this sku');
    return toProductDto(row);
  }
}
