import type { components } from '../../schema';

export type Reversal = components['schemas']['ReversalDto'];

/** The order's number; where no book knows the purchase, the name that its supplier told. */
export const nameOf = (reversal: Reversal): string =>
  reversal.order_number ?? reversal.reference ?? reversal.supplier_reference ?? `${reversal.id}`;
