import type { ProductKind } from '../../core/product-kind.js';
import type { Delivery, DefiniteOutcome, UndecidedOutcome } from '../../suppliers/supplier-outcome.js';

/**
 * What is kept of what a supplier handed over for a unit. Of a top-up that is its serial number: a supplier that has one
 * member for both calls it a code.
 */
export function keptOf(kind: ProductKind, deliveries: readonly Delivery[] = []): Delivery[] {
  return deliveries
    .map(({ serial, code, expiresOn }) => ({ serial: given(serial), code: given(code), expiresOn }))
    .map((each) => (kind === 'code' ? each : { serial: each.serial ?? each.code, code: null, expiresOn: null }))
    .filter(({ serial, code }) => serial !== null || code !== null);
}

const given = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text);

/** Whether a unit that is a code was bought without one: no code, no success. */
export const lacksCode = (kind: ProductKind, outcome: DefiniteOutcome): boolean =>
  kind === 'code' &&
  outcome.kind === 'succeeded' &&
  !keptOf(kind, outcome.deliveries).some(({ code }) => code !== null);

/** What such a success is until its code has come. */
export function awaitingCode(outcome: DefiniteOutcome): UndecidedOutcome {
  const { supplierReference = null, cost } = outcome as Extract<DefiniteOutcome, { kind: 'succeeded' }>;
  return {
    kind: 'processing',
    detail: 'it was bought, and its code has not come yet',
    ...(supplierReference !== null && { supplierReference }),
    ...(cost && { cost }),
  };
}
