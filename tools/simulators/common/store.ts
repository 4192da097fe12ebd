import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from './journal.js';
import type { Change, Delivery, JournalEntry, Kinds, Transaction } from './model.js';
import type { ReadingSet } from './readings.js';

const MINUTE_MS = 60_000;

/** The state of a simulator. When `commit` returns, a change is in the journal and survives the process. */
export class Store<K extends Kinds> {
  account: K['account'];
  readings: K['readings'];
  rules: readonly K['rule'][] = [];
  readonly transactions = new Map<string, K['transaction']>();
  readonly deliveries = new Map<number, Delivery>();
  readonly entries = new Map<number, JournalEntry>();
  private readonly byReference = new Map<string, string[]>();
  private readonly firstBodies = new Map<string, string>();
  private readonly lastEntries = new Map<string, JournalEntry>();
  private readonly withSteps = new Set<string>();
  private readonly undelivered = new Set<number>();
  private journal: Journal<Change<K>> | undefined;
  private deliveryCount = 0;
  private changes = 0;
  private offsetMs = 0;

  /** `depositMember`: the member of the account that purchases are paid from. */
  constructor(
    account: K['account'],
    private readonly readingSet: ReadingSet<K['readings']>,
    private readonly depositMember: keyof K['account'],
  ) {
    this.account = account;
    this.readings = readingSet.defaults;
  }

  /**
   * Reads the state from `file` of `dataDir`, which is created if missing, and writes all changes there.
   * @throws Error when the directory or the file in it cannot be used.
   */
  open(dataDir: string, file: string): void {
    mkdirSync(dataDir, { recursive: true });
    this.journal = Journal.open<Change<K>>(join(dataDir, file), (change) => this.apply(change));
  }

  /** Whether the journal is empty. */
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

  /** Every purchase under a reference, oldest first. */
  underReference(refId: string): K['transaction'][] {
    const ids = this.byReference.get(refId) ?? [];
    return ids.flatMap((id) => this.transactions.get(id) ?? []);
  }

  references(): IterableIterator<string> {
    return this.byReference.keys();
  }

  /** Purchases with planned steps. */
  openTransactions(): Iterable<K['transaction']> {
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

  firstBodyOf(call: string, refId: string): string | undefined {
    return this.firstBodies.get(`${call} ${refId}`);
  }

  /** The latest request of this call with this reference. */
  lastEntryOf(call: string, refId: string): JournalEntry | undefined {
    return this.lastEntries.get(`${call} ${refId}`);
  }

  changeReadings(changes: object): void {
    this.commit({ readings: this.readingSet.change(this.readings, changes) });
  }

  /** The members that every new purchase begins with. */
  begun(): Pick<Transaction, 'debited' | 'ever_succeeded' | 'last_sent_ms' | 'made_at_ms' | 'sends'> {
    const now = this.now();
    return { debited: 0, ever_succeeded: false, sends: 1, made_at_ms: now, last_sent_ms: now };
  }

  /** Records a purchase in its new state. The deposit changes by the difference in what is debited. */
  commitMove(before: K['transaction'], after: K['transaction'], more: Change<K>): void {
    const returned = before.debited - after.debited;
    const deposit = Number(this.account[this.depositMember]) + returned;
    const account: K['account'] = { ...this.account, [this.depositMember]: deposit };
    this.commit({ ...more, transactions: [after], ...(returned !== 0 && { account }) });
  }

  /** Records that the reference was sent once more. */
  sentAgain<T extends K['transaction']>(transaction: T): T {
    const again = { ...transaction, sends: transaction.sends + 1, last_sent_ms: this.now() };
    this.commit({ transactions: [again] });
    return again;
  }

  /** Whether more than `limit` calls came within the last minute, the present one included; 0 is no limit. */
  hasTooManyCalls(limit: number): boolean {
    if (limit === 0) return false;
    const since = this.now() - MINUTE_MS;
    return Array.from(this.entries.values()).filter(({ at }) => Date.parse(at) > since).length > limit;
  }

  /** Changes nothing unless the store is open. */
  commit(change: Change<K>): void {
    if (this.journal === undefined) return;
    this.journal.append(change);
    this.apply(change);
  }

  close(): void {
    this.journal?.close();
    this.journal = undefined;
  }

  /** Applies the members that only this vendor's changes have. */
  protected applyOwn(_change: K['change']): void {}

  private apply(change: Change<K>): void {
    this.changes += 1;
    this.applyOwn(change);
    if (change.account) this.account = change.account;
    if (change.readings) {
      this.readings = this.readingSet.change(this.readingSet.defaults, change.readings);
    }
    if (change.rules) this.rules = change.rules;
    if (change.offset_ms !== undefined) this.offsetMs = change.offset_ms;
    for (const transaction of change.transactions ?? []) this.keep(transaction);
    for (const delivery of change.deliveries ?? []) this.keepDelivery(delivery);
    if (change.entry) this.note(change.entry);
  }

  private keep(transaction: K['transaction']): void {
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
    if (entry.ref_id === null || entry.call === null) return;
    const key = `${entry.call} ${entry.ref_id}`;
    // An entry is written again when it is answered, perhaps after the entry of a later call.
    if (entry.n >= (this.lastEntries.get(key)?.n ?? 0)) this.lastEntries.set(key, entry);
    if (!this.firstBodies.has(key)) this.firstBodies.set(key, entry.body);
  }
}
