import { ORDER_STATUSES } from '../choices';
import { FAILURE_CODES } from '../failure-codes';
import type { OrderFilters } from '../pages/orders/orders';
import { choicesOf, day, several, text } from '../search-params';

export const orderFilters = (search: Record<string, unknown>): OrderFilters => ({
  status: choicesOf(search.status, ORDER_STATUSES),
  sku: text(search.sku),
  supplier: several(search.supplier, text),
  failure: choicesOf(search.failure, FAILURE_CODES),
  from: day(search.from),
  to: day(search.to),
  q: text(search.q),
});
