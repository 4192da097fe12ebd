import type { components } from '../../schema';

export type Reversal = components['schemas']['ReversalDto'];

/** The order's number, or for an unknown purchase the supplier's reference. */
export const nameOf = (reversal: Reversal): string =>
  reversal.order_number ?? reversal.reference ?? reversal.supplier_reference ?? `${reversal.id}`;
