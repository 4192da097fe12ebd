import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../core/durations.js';
import { storable, textProblem } from '../../core/text.js';
import { adaptersWith } from '../../suppliers/adapters.js';
import type { ListedPurchase, PurchasesReading, Unavailable } from '../../suppliers/supplier-adapter.js';
import type { ListPlace, Supplier } from '../../suppliers/supplier.entity.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { PurchaseListsRepository, type DueList } from './purchase-lists.repository.js';
import type { StatedPurchase } from './purchase-statement.js';
import { SoldAfterAllRepository } from './sold-after-all.repository.js';
import { UnknownPurchasesRepository, type ReportedPurchase } from './unknown-purchases.repository.js';

/** Clocks differ, and a supplier may list a purchase only after a while. */
const OVERLAP_MS = 3_600_000;
const MAX_PAGES = 10_000;
const STATED_AT_ONCE = 500;
const MAX_DETAIL_LENGTH = 500;
const MAX_CURSOR_LENGTH = 4_096;
const NO_LONGER_LISTED = 'it listed purchases before, and answers now that it has no list';
const NONE_TO_READ = 'no entry in the list of purchases can be read';

/** What a supplier listed. */
export interface Listed {
  known: true;
  /** Purchases in the list. */
  purchases: number;
  /** Entries besides those that can't be read. */
  unreadable: number;
  /** What the supplier calls the first of those that it names, of the pages that were read now. */
  unreadableName?: string | null;
  /** The cases that it opened: purchases that no book knows. */
  opened: number[];
  /** How many of them are sold, and not bought by our books: those of the cases, and those of attempts that ended otherwise. */
  surplus: number;
  /** How many of the latter are cases since now. */
  contradicted: number;
}

export const NOTHING_LISTED: Listed = {
  known: true,
  purchases: 0,
  unreadable: 0,
  surplus: 0,
  contradicted: 0,
  opened: [],
};

/** A supplier's list; null where it has none. */
export type ListReading = Listed | Unavailable | null;

/** A page, and what was on those before it. */
type Place = Pick<ListPlace, 'page' | 'purchases' | 'unreadable'>;

export interface ReadingOptions {
  /** Aborted when no other page is to be read. */
  stop?: AbortSignal;
  /** Where it begins; null for the first page. */
  place?: Place | null;
  /** Is told from where on the list can be read later; null for the first page. */
  onNext?: (place: Place | null) => void;
}

/** Asks suppliers for what they sold us: what no book knows of it becomes a case, and what our books have as not bought. */
@Injectable()
export class PurchaseListsService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly registry: SupplierRegistry,
    private readonly lists: PurchaseListsRepository,
    private readonly unknown: UnknownPurchasesRepository,
    private readonly soldAfterAll: SoldAfterAllRepository,
  ) {}

  /**
   * Reads what a supplier sold since a moment. Each page is looked up after it was read, and an attempt is committed before
   * it is sent: so all that is on the page and ours is found.
   */
  async read(supplier: Supplier, since: Date, options: ReadingOptions = {}): Promise<ListReading> {
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return connection;
    const { adapter, settings } = connection;
    const { purchases: list } = adapter;
    if (!list) return null;
    const reading = await this.readAll(supplier, (page) => list.read(settings, since, page), options);
    return reading === null && supplier.purchases_listed_at !== null ? unread(NO_LONGER_LISTED) : reading;
  }

  /** Takes a statement of a supplier for its list. @param name of the file. */
  async take(supplier: Supplier, statement: StatedPurchase[], name: string): Promise<Listed> {
    const listed: Listed = { ...NOTHING_LISTED, purchases: statement.length, opened: [] };
    const unnamed = statement.flatMap((each) => (each.reference === null ? [each.supplierReference ?? ''] : []));
    const settled = await this.unknown.settledNames(supplier.id, unnamed);
    const others = statement.filter(
      ({ reference, supplierReference }) => reference !== null || !settled.has(supplierReference ?? ''),
    );
    for (let begin = 0; begin < others.length; begin += STATED_AT_ONCE) {
      const reported = others.slice(begin, begin + STATED_AT_ONCE).map(({ line, status, verdict: _, ...purchase }) => ({
        ...purchase,
        detail: storable(`${name}, line ${line}: ${status ?? 'listed'}`, MAX_DETAIL_LENGTH),
      }));
      await this.tell(supplier, reported, listed);
    }
    return listed;
  }

  /** Opens cases of what is told, and counts them. */
  private async tell({ id }: Supplier, reported: ReportedPurchase[], listed: Listed): Promise<void> {
    const unknown = await this.unknown.tell(id, reported);
    const { found, opened } = await this.soldAfterAll.tell(id, reported);
    listed.opened.push(...unknown);
    listed.surplus += unknown.length + found;
    listed.contradicted += opened;
  }

  /** Asks those that were not asked within the interval, from where the last list ended. What fails with one stops no other. */
  async readDue(intervalMs: number, stop: AbortSignal): Promise<{ supplier: string; reading: ListReading }[]> {
    const due = await this.lists.takeDue(adaptersWith('purchases'), intervalMs);
    const done = [];
    for (const each of due) {
      if (stop.aborted) break;
      const reading = await this.readOneDue(each, stop).catch((error: Error) => unread(error.message, false));
      done.push({ supplier: each.code, reading });
    }
    return done;
  }

  /** A list that fails is read on, the next time, from the page that was reached; from its beginning where that was none. */
  private async readOneDue(due: DueList, stop: AbortSignal): Promise<ListReading> {
    const supplier = await this.suppliers.getByCode(due.code);
    const begun = beginningOf(due, supplier);
    let reached = begun.place;
    const reading = await this.read(supplier, begun.since, {
      stop,
      place: begun.place,
      onNext: (place) => (reached = place),
    });
    if (reading?.known) await this.lists.record(supplier, begun.at);
    else await this.lists.recordPlace(supplier, reached === begun.place ? null : storedPlace(begun, reached, supplier));
    return reading;
  }

  private async readAll(
    supplier: Supplier,
    readPage: (page: string | null) => Promise<PurchasesReading | null>,
    { place, onNext, stop }: ReadingOptions,
  ): Promise<ListReading> {
    const { page: first = null, purchases = 0, unreadable = 0 } = place ?? {};
    const listed: Listed = { ...NOTHING_LISTED, purchases, unreadable, opened: [] };
    const seen = new Set<string>();
    let page = first;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const reading = await readPage(page);
      if (reading === null && page !== null) return unread('the list of purchases ends in its middle');
      if (!reading?.known) return reading;
      await this.tell(supplier, reading.purchases.map(toReported), listed);
      listed.purchases += reading.purchases.length;
      listed.unreadable += reading.unreadable;
      listed.unreadableName ??= reading.unreadableName ?? null;
      if (reading.next === null) return hasNoneToRead(listed) ? unread(`${NONE_TO_READ}${namedIn(listed)}`) : listed;
      const isSeen = seen.has(reading.next);
      const { purchases, unreadable } = listed;
      onNext?.(isSeen ? null : { page: reading.next, purchases, unreadable });
      if (stop?.aborted) return unread('the list of purchases is read on later: the process stops');
      if (isSeen) break;
      page = reading.next;
      seen.add(page);
    }
    return unread('the list of purchases does not end');
  }
}

/** Where a reading begins: behind the last one, or where that failed. */
interface Beginning {
  place: Place | null;
  since: Date;
  /** When the first of the readings began that this one goes on with. */
  at: Date;
}

function beginningOf(
  { purchases_listed_at: before, purchases_place: left, now }: DueList,
  { adapter, base_url, account }: Supplier,
): Beginning {
  if (left && left.adapter === adapter && left.base_url === base_url && left.account === account)
    return { place: left, since: new Date(left.since), at: new Date(left.begun_at) };
  const since = new Date((before?.getTime() ?? now.getTime() - DAY_MS) - OVERLAP_MS);
  return { place: null, since, at: now };
}

/** Null for one that can't be stored as it is. */
function storedPlace(
  { since, at }: Beginning,
  place: Place | null,
  { adapter, base_url, account }: Supplier,
): ListPlace | null {
  if (place === null || textProblem(place.page, 1, MAX_CURSOR_LENGTH) !== null) return null;
  const { page, purchases, unreadable } = place;
  const times = { since: since.toISOString(), begun_at: at.toISOString() };
  return { page, purchases, unreadable, ...times, adapter, base_url, account };
}

/** Then it is most likely another list than we know: it is read again from the same moment, as one that fails. */
const hasNoneToRead = ({ purchases, unreadable }: Listed): boolean => purchases === 0 && unreadable > 0;

/** So that an operator finds one of those that can't be read; empty where the supplier names none. */
export const namedIn = ({ unreadableName: name }: Pick<Listed, 'unreadableName'>): string =>
  name ? ` (the supplier calls one of them ${name})` : '';

const unread = (detail: string, reached = true): Unavailable => ({ known: false, detail, reached });

const toReported = (purchase: ListedPurchase) => ({
  ...purchase,
  detail: `listed: ${purchase.state ?? 'unclear'}`,
});
