import { placeOf, type Place } from '../core/secret-box.js';

/** Whose callback it is, and the attempt that it is about. */
interface Callback {
  supplier_id: number;
  order_id: bigint | null;
  item: number | null;
  unit: number | null;
  attempt: number | null;
}

/** Where its body belongs: it has no name of its own before it is written. */
export const callbackBodyPlace = ({ supplier_id, order_id, item, unit, attempt }: Callback): Place =>
  placeOf('supplier_callbacks.body_sealed', supplier_id, order_id, item, unit, attempt);
