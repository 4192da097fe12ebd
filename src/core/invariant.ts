/**
 * What must always hold did not, so the code or the data is broken. The transaction is rolled back: a wrong amount is
 * worse than none. Counted as `topup_broken_invariants_total`.
 */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';

  constructor(readonly invariant: string) {
    super(`broken invariant: ${invariant}`);
  }
}

/** @throws {@link BrokenInvariant} where a value is missing. @param invariant says what must hold, for the log. */
export function present<Value>(value: Value | null | undefined, invariant: string): Value {
  if (value === null || value === undefined) throw new BrokenInvariant(invariant);
  return value;
}

/** @throws {@link BrokenInvariant} unless it holds. @param invariant says what must hold, for the log. */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenInvariant(what);
}
