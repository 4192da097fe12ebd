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
