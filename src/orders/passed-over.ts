/** An offer that came before the one that was taken, and was not taken. */
export interface PassedOver {
  /** The code of its supplier. */
  supplier: string;
  supplier_sku: string;
  /**
   * Why it was not routable then; or `once_per_day`, where more than one piece was asked for, or `player`, where it is for
   * players of another form.
   */
  why: string;
}

/** The same in SQL, of a row of offers that has `why`. @param alias of the row. */
export const passedOverIn = (alias: string): string =>
  `jsonb_build_object('supplier', ${alias}.supplier_code, 'supplier_sku', ${alias}.supplier_sku, 'why', ${alias}.why)`;
