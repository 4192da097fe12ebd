import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import { Database } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { ListedPurchase } from '../../suppliers/supplier-adapter.js';
import { CLOSE_BOUGHT, FIND_SETTLED_NAMES, TELL_PURCHASES } from './unknown-purchases.sql.js';

/** A purchase as its supplier tells of it, whichever way. */
export interface ReportedPurchase extends ListedPurchase {
  /** How we learned of it, and what was said. */
  detail: string;
}

/** What came of telling. */
export interface ReportResult {
  /** The numbers of the cases that it opened. */
  opened: number[];
  /** Purchases that no book knows and that are no case, because too many are. */
  withheld: number;
}

/** A reference that follows from an order, as adapters have it that name attempts after their units. */
const UNIT_REFERENCE = /^(ord_[0-9A-Za-z]+)\.(\d{1,2})\.(\d{1,3})$/;
/** The order's number, with which they begin as those of later attempts do. */
const ORDER_NUMBER = /^ord_[0-9A-Za-z]+(?=\.)/;

/** Purchases of which suppliers tell, as cases where no book knows them: a database that was restored has forgotten them. */
@Injectable()
export class UnknownPurchasesRepository {
  constructor(private readonly database: Database) {}

  /** Which of a supplier's own names of purchases are those of units that succeeded. It reads all of the supplier's units. */
  async settledNames(supplierId: number, names: string[]): Promise<Set<string>> {
    if (names.length === 0) return new Set();
    const [statement, values] = FIND_SETTLED_NAMES.with({ supplierId, names });
    const found = await this.database.query<{ name: string }>(withLongTimeout(statement), values);
    return new Set(found.map(({ name }) => name));
  }

  /** @returns the numbers of the cases that this opened. */
  async tell(supplierId: number, purchases: ReportedPurchase[]): Promise<number[]> {
    return (await this.tellUpTo(null, supplierId, purchases)).opened;
  }

  /** @param mostAnHour cases of the supplier within an hour, whatever opened them; null for no limit. */
  async tellUpTo(mostAnHour: number | null, supplierId: number, purchases: ReportedPurchase[]): Promise<ReportResult> {
    if (purchases.length === 0) return { opened: [], withheld: 0 };
    const values = { supplierId, mostAnHour, purchases: purchases.map(toRow) };
    const reported = await this.database.query<{ id: number | null }>(...TELL_PURCHASES.with(values));
    const opened = reported.flatMap(({ id }) => (id === null ? [] : [id]));
    return { opened, withheld: reported.length - opened.length };
  }

  /**
   * Closes those of the next open cases whose purchase is what a unit was given since; none while another worker does.
   * @param after the last case that was looked at.
   * @returns the numbers of those that it closed, and after which case to go on: 0 behind the last.
   */
  async closeBought(after: number, atMost: number): Promise<{ closed: number[]; next: number }> {
    const values = CLOSE_BOUGHT.with({ after, limit: atMost });
    const [looked] = await this.database.query<{ closed: number[]; next: number }>(...values);
    return present(looked, 'a look at cases has one row');
  }
}

function toRow({ reference, supplierReference, state, sku, player, boughtAt, cost, detail }: ReportedPurchase) {
  const [, , item, unit] = UNIT_REFERENCE.exec(reference ?? '') ?? [];
  const [orderNumber = null] = ORDER_NUMBER.exec(reference ?? '') ?? [];
  return {
    reference,
    supplier_reference: supplierReference,
    state,
    supplier_sku: sku,
    player,
    detail,
    bought_at: boughtAt,
    cost_micros: cost?.micros ?? null,
    cost_currency: cost?.currency ?? null,
    order_number: orderNumber,
    item: item === undefined ? null : Number(item),
    unit: unit === undefined ? null : Number(unit),
  };
}
