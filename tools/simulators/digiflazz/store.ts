import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../common/journal.js';
import { DEFAULT_ACCOUNT, DEFAULT_PRODUCTS } from './defaults.js';
import type { Account, Catalogue, Change, Delivery, JournalEntry, Product, Transaction } from './model.js';
import { changeReadings, DEFAULT_READINGS, type Readings } from './readings.js';
import type { Rule } from './rules.js';

const STATE_FILE = 'digiflazz.jsonl';

/** All that the simulator knows. A change is on record, and survives the process, before `commit` returns. */
export class Store {
  account: Account = DEFAULT_ACCOUNT;
  catalogues: readonly Catalogue[] = [{ at_ms: 0, products: DEFAULT_PRODUCTS }];
  readings: Readings = DEFAULT_READINGS;
  rules: readonly Rule[] = [];
  priceLists: Readonly<Record<string, number>> = {};
  readonly transactions = new Map<string, Transaction>();
  readonly deliveries = new Map<number, Delivery>();
  readonly entries = new Map<number, JournalEntry>();
  private readonly byReference = new Map<string, string[]>();
  private readonly firstBodies = new Map<string, string>();
  private readonly lastEntries = new Map<string, JournalEntry>();
  private readonly withSteps = new Set<string>();
  private readonly undelivered = new Set<number>();
  private readonly journal: Journal<Change>;
  private deliveryCount = 0;
  private changes = 0;
  private offsetMs = 0;
  private closed = false;

  /**
   * Opens the state kept in `dataDir`, which is created when absent.
   * @throws Error when the directory or the file in it cannot be used.
   */
  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.journal = Journal.open<Change>(join(dataDir, STATE_FILE), (change) => this.apply(change));
  }

  /** Whether nothing has ever been on record. */
  get isNew(): boolean {
    return this.changes === 0;
  }

  /** The vendor's time, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.offsetMs;
  }

  get clockOffsetMs(): number {
    return this.offsetMs;
  }

  get products(): readonly Product[] {
    return this.catalogues.at(-1)?.products ?? [];
  }

  product(sku: string): Product | undefined {
    return this.products.find(({ buyer_sku_code }) => buyer_sku_code === sku);
  }

  /** Every transaction under a reference, oldest first: more than one where a repeat came after 90 days. */
  underReference(refId: string): Transaction[] {
    const ids = this.byReference.get(refId) ?? [];
    return ids.flatMap((id) => this.transactions.get(id) ?? []);
  }

  references(): IterableIterator<string> {
    return this.byReference.keys();
  }

  /** Transactions that will change by themselves. */
  openTransactions(): Iterable<Transaction> {
    return Array.from(this.withSteps, (id) => this.transactions.get(id)).filter((each) => each !== undefined);
  }

  /** Callbacks that are neither delivered nor given up. */
  openDeliveries(): Iterable<Delivery> {
    return Array.from(this.undelivered, (n) => this.deliveries.get(n)).filter((each) => each !== undefined);
  }

  /** The number of the next callback; a second one of the same change gets the number after it. */
  nextDelivery(): number {
    return this.deliveryCount + 1;
  }

  firstBodyOf(refId: string): string | undefined {
    return this.firstBodies.get(refId);
  }

  /** The latest request with this reference. */
  lastEntryOf(refId: string): JournalEntry | undefined {
    return this.lastEntries.get(refId);
  }

  /** Changes nothing once the store is closed. */
  commit(change: Change): void {
    if (this.closed) return;
    this.journal.append(change);
    this.apply(change);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.journal.close();
  }

  private apply(change: Change): void {
    this.changes += 1;
    if (change.account) this.account = change.account;
    if (change.catalogue) this.catalogues = [...this.catalogues, change.catalogue];
    if (change.readings) this.readings = changeReadings(DEFAULT_READINGS, change.readings);
    if (change.rules) this.rules = change.rules;
    if (change.offset_ms !== undefined) this.offsetMs = change.offset_ms;
    if (change.price_lists) this.priceLists = { ...this.priceLists, ...change.price_lists };
    for (const transaction of change.transactions ?? []) this.keep(transaction);
    for (const delivery of change.deliveries ?? []) this.keepDelivery(delivery);
    if (change.entry) this.note(change.entry);
  }

  private keep(transaction: Transaction): void {
    const { ref_id, trx_id } = transaction;
    if (!this.transactions.has(trx_id)) {
      this.byReference.set(ref_id, [...(this.byReference.get(ref_id) ?? []), trx_id]);
    }
    this.transactions.set(trx_id, transaction);
    if (transaction.steps.length > 0) this.withSteps.add(trx_id);
    else this.withSteps.delete(trx_id);
  }

  private keepDelivery(delivery: Delivery): void {
    this.deliveries.set(delivery.n, delivery);
    this.deliveryCount = Math.max(this.deliveryCount, delivery.n);
    if (delivery.state === 'waiting' || delivery.state === 'held') this.undelivered.add(delivery.n);
    else this.undelivered.delete(delivery.n);
  }

  private note(entry: JournalEntry): void {
    this.entries.set(entry.n, entry);
    if (entry.ref_id === null) return;
    // An entry is written again when it is answered, by then perhaps after one that came later.
    if (entry.n >= (this.lastEntryOf(entry.ref_id)?.n ?? 0)) this.lastEntries.set(entry.ref_id, entry);
    if (!this.firstBodies.has(entry.ref_id)) this.firstBodies.set(entry.ref_id, entry.body);
  }
}
