/** Where a claim begins to share the slots of a supplier. */
export interface SharePlace {
  /** The merchant whose turn it is. If it has no due units, the turn goes to the next merchant by id. */
  from_merchant: number;
  /** How many slots of this turn the merchant has already had. */
  from_used: number;
}

const START: SharePlace = { from_merchant: 0, from_used: 0 };

/**
 * Remembers where this process's last claim at each supplier ended. A claim often has one free slot and several waiting
 * merchants, so it takes several claims until each merchant has had its turn.
 */
export class SupplierShares {
  private readonly places = new Map<number, SharePlace>();

  placeAt(supplierId: number): SharePlace {
    return this.places.get(supplierId) ?? START;
  }

  /** @param unit any unit of the last claim. `next_merchant` is null if the claim had nothing to share. */
  note(unit: { supplier_id: number; next_merchant: number | null; next_used: number | null }): void {
    if (unit.next_merchant === null) return;
    this.places.set(unit.supplier_id, { from_merchant: unit.next_merchant, from_used: unit.next_used ?? 0 });
  }
}
