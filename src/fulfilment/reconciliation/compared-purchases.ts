import { groupBy } from '../../core/groups.js';
import type { ReportedPurchase } from './unknown-purchases.repository.js';

/** More than a supplier usually sells us in the time that one reading covers, and no burden for the memory of a worker. */
const MAX_PURCHASES = 50_000;

/**
 * The purchases on the pages of a list, or in the parts of a statement, that were compared so far. The purchases under one reference
 * may be on different pages, and only together they prove a further purchase. A reading that continues a failed one begins without
 * them, and a long list loses those of its first pages.
 */
export class ComparedPurchases {
  /** By our reference. The references on the latest pages are last. */
  private readonly purchases = new Map<string, ReportedPurchase[]>();
  private size = 0;
  private readonly found = new Set<string>();

  constructor(private readonly max = MAX_PURCHASES) {}

  /** Adds a page. @returns its purchases, and the purchases of the pages before under the same references. */
  add(page: ReportedPurchase[]): ReportedPurchase[] {
    const together = [...page];
    for (const [reference, own] of groupBy(page, (purchase) => purchase.reference)) {
      if (reference === null) continue;
      const names = new Set(own.map(({ supplierReference }) => supplierReference));
      const others = this.remove(reference).filter(({ supplierReference }) => !names.has(supplierReference));
      together.push(...others);
      this.purchases.set(reference, [...others, ...own]);
      this.size += others.length + own.length;
    }
    for (const reference of this.purchases.keys()) {
      if (this.size <= this.max) break;
      this.remove(reference);
    }
    return together;
  }

  /** Adds purchases that our books record as not bought. @returns how many of them the pages before did not have. */
  addFound(found: string[]): number {
    const before = this.found.size;
    for (const purchase of found) this.found.add(purchase);
    return this.found.size - before;
  }

  private remove(reference: string): ReportedPurchase[] {
    const removed = this.purchases.get(reference) ?? [];
    this.purchases.delete(reference);
    this.size -= removed.length;
    return removed;
  }
}
