import { List, type Page } from '../list.js';
import { pathTo } from '../path.js';
import type { CallOptions, Transport } from '../transport.js';
import type { Product, ProductQuery } from '../types.js';

export class Products {
  constructor(private readonly transport: Transport) {}

  /** The products that you can order, at your prices. */
  list(query: ProductQuery = {}, options?: CallOptions): List<Product> {
    return new List((cursor) => this.transport.get<Page<Product>>('/v1/products', { ...query, cursor }, options));
  }

  /** @throws ApiError 404 */
  async get(sku: string, options?: CallOptions): Promise<Product> {
    return this.transport.get(pathTo('/v1/products', 'sku', sku), {}, options);
  }
}
