import type { ProductKind } from '../../core/product-kind.js';
import type { UnitDelivery, DefiniteOutcome, UndecidedOutcome } from '../../suppliers/supplier-outcome.js';

/** The parts of unit deliveries that the service stores. A top-up has only a serial number, even if the supplier calls it a code. */
export function deliveriesToStore(kind: ProductKind, deliveries: readonly UnitDelivery[] = []): UnitDelivery[] {
  return deliveries
    .map(({ serial, code, expiresOn }) => ({ serial: textOrNull(serial), code: textOrNull(code), expiresOn }))
    .map((each) => (kind === 'code' ? each : { serial: each.serial ?? each.code, code: null, expiresOn: null }))
    .filter(({ serial, code }) => serial !== null || code !== null);
}

const textOrNull = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text);

/** Whether the supplier sold a code, but did not hand it over. Such an outcome does not settle the unit yet. */
export const lacksCode = (kind: ProductKind, outcome: DefiniteOutcome): boolean =>
  kind === 'code' &&
  outcome.kind === 'succeeded' &&
  !deliveriesToStore(kind, outcome.deliveries).some(({ code }) => code !== null);

/** Turns a success without its code into an undecided outcome. */
export function awaitingCode(outcome: DefiniteOutcome): UndecidedOutcome {
  const { supplierReference = null, cost } = outcome as Extract<DefiniteOutcome, { kind: 'succeeded' }>;
  return {
    kind: 'processing',
    detail: 'it was bought, and its code has not come yet',
    ...(supplierReference !== null && { supplierReference }),
    ...(cost && { cost }),
  };
}
