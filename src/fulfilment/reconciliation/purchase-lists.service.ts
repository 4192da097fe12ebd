import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { storable, textProblem } from '../../core/text.js';
import { adaptersWith } from '../../suppliers/adapters.js';
import type { ListedPurchase, PurchasesReading, Unavailable } from '../../suppliers/supplier-adapter.js';
import type { ListPlace, Supplier } from '../../suppliers/supplier.entity.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { ComparedPurchases } from './compared-purchases.js';
import { PurchaseListsRepository, type DueList } from './purchase-lists.repository.js';
import type { StatedPurchase } from './purchase-statement.js';
import { SoldAfterAllRepository } from './sold-after-all.repository.js';
import { UnknownPurchasesRepository, type ReportedPurchase } from './unknown-purchases.repository.js';

/** Each reading reads from this long before the last complete one began, because clocks differ and a list may be late. */
const OVERLAP_MS = HOUR_MS;
const MAX_PAGES = 10_000;
const STATED_AT_ONCE = 500;
const MAX_DETAIL_LENGTH = 500;
const MAX_CURSOR_LENGTH = 4_096;
const NO_LONGER_LISTED = 'it listed purchases before, and answers now that it has no list';
const NONE_TO_READ = 'no entry in the list of purchases can be read';

/** The result of reading a list. */
export interface Listed {
  known: true;
  /** The number of readable purchases in the list. */
  purchases: number;
  /** The number of entries that cannot be read. `purchases` does not count these. */
  unreadable: number;
  /** The supplier's reference of the first unreadable entry that has one, on the pages that were read now. */
  unreadableReference?: string | null;
  /** The ids of the discrepancies that the reading opened for unknown purchases. */
  opened: number[];
  /** The number of `opened`, plus the number of purchases that were reported as sold but that our books record as not bought. */
  surplus: number;
  /** The number of discrepancies that the reading opened for known attempts, which our books record as not bought. */
  contradicted: number;
}

const nothingListed = (): Listed => ({
  known: true,
  purchases: 0,
  unreadable: 0,
  surplus: 0,
  contradicted: 0,
  opened: [],
});

/** Null if the supplier has no list. */
export type ListReading = Listed | Unavailable | null;

/** A due list. `found` has the counts also of a list that could not be read to its end. */
interface DueReading {
  supplier: string;
  reading: ListReading;
  found: Listed;
}

/** A page, with the counts of the pages before it. */
type Place = Pick<ListPlace, 'page' | 'purchases' | 'unreadable'>;

interface ReadingOptions {
  /** Ends the reading before the next page. */
  stop?: AbortSignal;
  /** The page to begin with; null for the first. */
  place?: Place | null;
  /** Receives the counts, also those of a reading that fails. */
  listed?: Listed;
  /** Receives the place to continue from later; null for the first page. */
  onNext?: (place: Place | null) => void;
}

/** Reads suppliers' lists of purchases. A purchase that our books do not know, or record as not bought, becomes a discrepancy. */
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
   * Reads the purchases since a moment. Each attempt is committed before its first send, and each page is compared after the
   * supplier made it. So our books know every purchase of ours on the page, unless they lost it.
   * @returns null if the supplier has no list.
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

  /**
   * Compares a supplier's statement with our books, as {@link read} compares a list. @param name the name of the statement's
   * file.
   */
  async compareStatement(supplier: Supplier, statement: StatedPurchase[], name: string): Promise<Listed> {
    const listed: Listed = { ...nothingListed(), purchases: statement.length };
    const unnamed = statement.flatMap((each) => (each.reference === null ? [each.supplierReference ?? ''] : []));
    const settled = await this.unknown.listSettledReferences(supplier.id, unnamed);
    const others = statement.filter(
      ({ reference, supplierReference }) => reference !== null || !settled.has(supplierReference ?? ''),
    );
    const compared = new ComparedPurchases();
    for (let at = 0; at < others.length; at += STATED_AT_ONCE) {
      const reported = others.slice(at, at + STATED_AT_ONCE).map(({ line, status, result: _, ...purchase }) => ({
        ...purchase,
        detail: storable(`${name}, line ${line}: ${status ?? 'listed'}`, MAX_DETAIL_LENGTH),
      }));
      await this.compare(supplier, reported, compared, listed);
    }
    return listed;
  }

  /** Opens discrepancies for reported purchases, and counts them. */
  private async compare(
    { id }: Supplier,
    reported: ReportedPurchase[],
    compared: ComparedPurchases,
    listed: Listed,
  ): Promise<void> {
    const unknown = await this.unknown.report(id, reported);
    const { found, opened: contradicted } = await this.soldAfterAll.report(id, compared.add(reported));
    listed.opened.push(...unknown);
    listed.surplus += unknown.length + compared.addFound(found);
    listed.contradicted += contradicted;
  }

  /**
   * Reads the due lists. A reading begins an hour before the last complete one began, or at the page where a reading failed. A
   * failed reading does not stop the others.
   */
  async readDue(intervalMs: number, stop: AbortSignal): Promise<DueReading[]> {
    const due = await this.lists.claimDue(adaptersWith('purchases'), intervalMs);
    const done: DueReading[] = [];
    for (const each of due) {
      if (stop.aborted) break;
      const found = nothingListed();
      const reading = await this.readOneDue(each, stop, found).catch((error: Error) => unread(error.message, false));
      done.push({ supplier: each.code, reading, found });
    }
    return done;
  }

  /** After a failure, the next reading continues at the page that this one reached. If it reached none, the next starts anew. */
  private async readOneDue(due: DueList, stop: AbortSignal, listed: Listed): Promise<ListReading> {
    const supplier = await this.suppliers.getByCode(due.code);
    const begun = beginningOf(due, supplier);
    let reached = begun.place;
    const reading = await this.read(supplier, begun.since, {
      stop,
      listed,
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
    { place, onNext, stop, listed = nothingListed() }: ReadingOptions,
  ): Promise<ListReading> {
    const { page: first = null, purchases = 0, unreadable = 0 } = place ?? {};
    Object.assign(listed, { purchases, unreadable });
    const seen = new Set<string>();
    const compared = new ComparedPurchases();
    let page = first;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const reading = await readPage(page);
      if (reading === null && page !== null) return unread('the list of purchases ends in its middle');
      if (!reading?.known) return reading;
      await this.compare(supplier, reading.purchases.map(toReported), compared, listed);
      listed.purchases += reading.purchases.length;
      listed.unreadable += reading.unreadable;
      listed.unreadableReference ??= reading.unreadableReference ?? null;
      if (reading.next === null) return hasNoneToRead(listed) ? unread(`${NONE_TO_READ}${namedIn(listed)}`) : listed;
      const isSeen = seen.has(reading.next);
      const { purchases, unreadable } = listed;
      onNext?.(isSeen ? null : { page: reading.next, purchases, unreadable });
      if (stop?.aborted) return unread('the list of purchases is continued later: the process stops');
      if (isSeen) break;
      page = reading.next;
      seen.add(page);
    }
    return unread('the list of purchases does not end');
  }
}

/** Where a reading of a list begins: {@link OVERLAP_MS} before the last complete one, or at the page where a reading failed. */
interface Beginning {
  place: Place | null;
  since: Date;
  /** When this reading began. If it continues a failed reading, when the failed reading began. */
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

/** @returns null for the beginning of the list, or if the supplier's cursor cannot be stored. */
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

/** A list without a readable entry probably has an unknown format. It counts as a failed reading, which is retried. */
const hasNoneToRead = ({ purchases, unreadable }: Listed): boolean => purchases === 0 && unreadable > 0;

/** Text that lets an operator find one of the unreadable entries; empty if none has a supplier's reference. */
export const namedIn = ({ unreadableReference: reference }: Pick<Listed, 'unreadableReference'>): string =>
  reference ? ` (the supplier calls one of them ${reference})` : '';

const unread = (detail: string, offersNone = true): Unavailable => ({ known: false, detail, offersNone });

const toReported = (purchase: ListedPurchase) => ({
  ...purchase,
  detail: `listed: ${purchase.state ?? 'unclear'}`,
});
