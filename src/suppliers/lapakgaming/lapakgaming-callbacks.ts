import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../core/exact-json.js';
import type { CallbackReader } from '../supplier-adapter.js';
import { nameOf, unreadable } from '../adapter-answers.js';
import { dataOf } from './lapakgaming-data.js';

/**
 * Reads callbacks of Lapakgaming, which have no signature. A callback about an order leads to an inquiry, and a
 * callback about a product to a reading of that product. If a callback has our reference, its `tid` is ignored: nothing
 * proves it.
 */
export const lapakgamingCallbacks: CallbackReader = {
  read({ body }) {
    const data = isUtf8(body) ? dataOf(parseExactJson(body.toString('utf8'))) : undefined;
    if (!data) return unreadable('the body has no data');
    const reference = nameOf(data.reference_id);
    if (reference !== undefined) return { kind: 'about', reference };
    const supplierReference = nameOf(data.tid);
    if (supplierReference !== undefined) return { kind: 'about', supplierReference };
    const sku = nameOf(data.code);
    return sku === undefined
      ? unreadable('the body names neither an order nor a product')
      : { kind: 'products', skus: [sku] };
  },
};
