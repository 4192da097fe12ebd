/**
 * An invariant does not hold, so the code or the data is wrong. `Database` rolls back a transaction that throws this
 * error, because a wrong amount is worse than a failed request, and counts it as `topup_broken_invariants_total`.
 */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';

  constructor(readonly invariant: string) {
    super(`broken invariant: ${invariant}`);
  }
}

/** @throws {@link BrokenInvariant} for a missing value. @param invariant the invariant in words, for the log. */
export function present<Value>(value: Value | null | undefined, invariant: string): Value {
  if (value === null || value === undefined) throw new BrokenInvariant(invariant);
  return value;
}

/** @throws {@link BrokenInvariant} unless `holds`. @param what the invariant in words, for the log. */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenInvariant(what);
}
