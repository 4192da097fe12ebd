import { List, type Page } from '../list.js';
import type { CallOptions, Transport } from '../transport.js';
import type { Product, ProductQuery } from '../types.js';

export class Products {
  constructor(private readonly transport: Transport) {}

  /** What can be ordered, at your prices. */
  list(query: ProductQuery = {}, options?: CallOptions): List<Product> {
    return new List((cursor) =>
      this.transport.get<Page<Product>>('/v1/products', { ...query, cursor }, options),
    );
  }

  /** @throws ApiError 404 */
  get(sku: string, options?: CallOptions): Promise<Product> {
    return this.transport.get(`/v1/products/${encodeURIComponent(sku)}`, {}, options);
  }
}
