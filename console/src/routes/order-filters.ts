import { ORDER_STATUSES } from '../choices';
import { FAILURE_CODES } from '../failure-codes';
import type { OrderFilters } from '../pages/orders/orders';
import { choice, day, text } from '../search-params';

export const orderFilters = (search: Record<string, unknown>): OrderFilters => ({
  status: choice(search.status, ORDER_STATUSES),
  sku: text(search.sku),
  supplier: text(search.supplier),
  failure: choice(search.failure, FAILURE_CODES),
  from: day(search.from),
  to: day(search.to),
  q: text(search.q),
});
