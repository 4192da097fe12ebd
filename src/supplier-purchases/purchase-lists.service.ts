import { Injectable } from '@nestjs/common';
import { storable } from '../core/text.js';
import { adaptersWith } from '../suppliers/adapters.js';
import type { ListedPurchase, PurchaseList, Unavailable } from '../suppliers/supplier-adapter.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { PurchaseListsRepository, type DueList } from './purchase-lists.repository.js';
import type { StatedPurchase } from './purchase-statement.js';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

const DAY_MS = 86_400_000;
/** Clocks differ, and a supplier may list a purchase only after a while. */
const OVERLAP_MS = 3_600_000;
/** Of one supplier. A list is no stranger's: all of it becomes cases. */
const MOST_OPEN_CASES = 2 ** 31 - 1;
const MOST_PAGES = 10_000;
const STATED_AT_ONCE = 500;
const MAX_DETAIL_LENGTH = 500;
const NONE_TO_READ = 'no entry in the list of purchases can be read';

/** What a supplier listed. */
export interface Listed {
  known: true;
  /** Purchases in the list. */
  purchases: number;
  /** Entries besides those that can't be read. */
  unreadable: number;
  /** The cases that it opened: purchases that no book knows. */
  opened: number[];
}

/** A supplier's list; null where it has none. */
export type ListReading = Listed | Unavailable | null;

/** Asks suppliers for what they sold us: what no book knows of it becomes a case. */
@Injectable()
export class PurchaseListsService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly registry: SupplierRegistry,
    private readonly lists: PurchaseListsRepository,
    private readonly unknown: UnknownPurchasesRepository,
  ) {}

  /**
   * Reads what a supplier sold since a moment. Each page is looked up after it was read, and an attempt is committed before
   * it is sent: so all that is on the page and ours is found.
   * @param stop aborted when no other page is to be read.
   */
  async read(supplier: Supplier, since: Date, stop?: AbortSignal): Promise<ListReading> {
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return connection;
    const { purchases: list } = connection.adapter;
    return list ? this.readAll(supplier, list, { settings: connection.settings, since, stop }) : null;
  }

  /** Takes a statement of a supplier for its list. @param name of the file. */
  async take(supplier: Supplier, statement: StatedPurchase[], name: string): Promise<Listed> {
    const opened: number[] = [];
    for (let begin = 0; begin < statement.length; begin += STATED_AT_ONCE) {
      const told = statement.slice(begin, begin + STATED_AT_ONCE).map(({ line, status, ...purchase }) => ({
        ...purchase,
        detail: storable(`${name}, line ${line}: ${status ?? 'listed'}`, MAX_DETAIL_LENGTH),
      }));
      opened.push(...(await this.unknown.tell(supplier.id, told, MOST_OPEN_CASES)));
    }
    return { known: true, purchases: statement.length, unreadable: 0, opened };
  }

  /** Asks those that were not asked within the interval, from where the last list ended. What fails with one stops no other. */
  async readDue(
    intervalMs: number,
    stop: AbortSignal,
  ): Promise<{ supplier: string; reading: ListReading }[]> {
    const due = await this.lists.takeDue(adaptersWith('purchases'), intervalMs);
    const done = [];
    for (const each of due) {
      if (stop.aborted) break;
      const reading = await this.readOneDue(each, stop).catch((error: Error) => unread(error.message, false));
      done.push({ supplier: each.code, reading });
    }
    return done;
  }

  private async readOneDue(
    { code, purchases_listed_at: before, now }: DueList,
    stop: AbortSignal,
  ): Promise<ListReading> {
    const supplier = await this.suppliers.getByCode(code);
    const since = new Date((before?.getTime() ?? now.getTime() - DAY_MS) - OVERLAP_MS);
    const reading = await this.read(supplier, since, stop);
    if (reading?.known) await this.lists.record(supplier, now);
    return reading;
  }

  private async readAll(
    supplier: Supplier,
    list: PurchaseList,
    { settings, since, stop }: { settings: unknown; since: Date; stop: AbortSignal | undefined },
  ): Promise<ListReading> {
    const listed: Listed = { known: true, purchases: 0, unreadable: 0, opened: [] };
    const seen = new Set<string>();
    let page: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const reading = await list.read(settings, since, page);
      if (reading === null && page !== null) return unread('the list of purchases ends in its middle');
      if (!reading?.known) return reading;
      listed.opened.push(
        ...(await this.unknown.tell(supplier.id, reading.purchases.map(toTold), MOST_OPEN_CASES)),
      );
      listed.purchases += reading.purchases.length;
      listed.unreadable += reading.unreadable;
      if (reading.next === null) return hasNoneToRead(listed) ? unread(NONE_TO_READ) : listed;
      if (stop?.aborted) return unread('the list of purchases is read on later: the process stops');
      if (seen.has(reading.next)) break;
      page = reading.next;
      seen.add(page);
    }
    return unread('the list of purchases does not end');
  }
}

/** Then it is most likely another list than we know: it is read again from the same moment, as one that fails. */
const hasNoneToRead = ({ purchases, unreadable }: Listed): boolean => purchases === 0 && unreadable > 0;

const unread = (detail: string, reached = true): Unavailable => ({ known: false, detail, reached });

const toTold = (purchase: ListedPurchase) => ({
  ...purchase,
  detail: `listed: ${purchase.state ?? 'unclear'}`,
});
