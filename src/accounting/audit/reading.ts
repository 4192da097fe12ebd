import type { Queryable } from '../../database/database.js';
import type { AuditRepository, Book, Found, OrderCount, Range } from './audit.repository.js';
import type { Check } from './check.sql.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import { Ledger } from './ledger.js';
import { Tallies } from './tally.js';

/** Rows of a batch. A batch takes about a second and fits in memory. */
const BATCH_ROWS = 20_000;

/** Runs a read in one snapshot of the books. */
export type Snapshots = <Result>(read: (tx: Queryable) => Promise<Result>) => Promise<Result>;

/** @param total the approximate number of batches. @param what the next step, in words. */
export type OnProgress = (done: number, total: number, what: string) => void | Promise<void>;

const IN_WORDS = {
  orders: 'orders',
  transfers: 'movements of money',
  deliveries: 'deliveries',
} as const satisfies Record<Book, string>;

/** Reads the rows of the books in batches, each in its own snapshot, and collects the findings of the checks. */
export class Reading {
  readonly tallies: Tallies;
  readonly ledger: Ledger;
  private done = 0;
  private total = 1;

  /** @param closed the wallets of the closing after which the reading begins; empty if it begins with the very first row. */
  constructor(
    private readonly snapshots: Snapshots,
    private readonly books: AuditRepository,
    checks: readonly Check[],
    closed: readonly ClosedWallet[],
    private readonly onProgress: OnProgress = () => undefined,
  ) {
    this.tallies = new Tallies(checks);
    this.ledger = new Ledger(this.tallies, closed);
  }

  /** Announces ranges to be read, for the progress. */
  expect(...ranges: Range[]): void {
    for (const { after, through } of ranges) if (through > after) this.total += Number(through - after) / BATCH_ROWS;
  }

  /** Reads in one snapshot. */
  at<Result>(read: (tx: Queryable) => Promise<Result>): Promise<Result> {
    return this.snapshots(read);
  }

  /** Checks the orders of a range. @returns their number, and the ids of open ones. */
  async orders(range: Range): Promise<OrderCount> {
    const read = { orders: 0n, open: [] as bigint[] };
    for await (const batch of this.batches('orders', range, async (tx, each) => ({
      found: await this.books.checkOrders(tx, each),
      count: await this.books.countOrders(tx, each),
    }))) {
      this.add(batch.found);
      read.orders += batch.count.orders;
      read.open.push(...batch.count.open);
    }
    return read;
  }

  /** Counts the orders of a range without checking them. */
  async countOrders(range: Range): Promise<bigint> {
    let orders = 0n;
    this.expect(range);
    for await (const batch of this.batches('orders', range, (tx, each) => this.books.countOrders(tx, each)))
      orders += batch.orders;
    return orders;
  }

  /** Checks orders by id. @returns their number, and the ids of open ones. */
  async namedOrders(ids: readonly bigint[]): Promise<OrderCount> {
    if (ids.length === 0) return { orders: 0n, open: [] };
    const { found, count } = await this.snapshots(async (tx) => ({
      found: await this.books.checkNamedOrders(tx, ids),
      count: await this.books.countNamedOrders(tx, ids),
    }));
    this.add(found);
    return count;
  }

  /** Adds up the movements of a range, in which no new movement may appear. @returns their number. */
  async transfers(range: Range): Promise<bigint> {
    let transfers = 0n;
    for await (const batch of this.batches('transfers', range, (tx, each) => this.books.movements(tx, each))) {
      this.ledger.add(batch);
      for (const each of batch) transfers += each.transfers;
    }
    return transfers;
  }

  /** Checks the deliveries of a range. @returns their number. */
  async deliveries(range: Range): Promise<bigint> {
    let deliveries = 0n;
    for await (const batch of this.batches('deliveries', range, (tx, each) => this.books.checkDeliveries(tx, each))) {
      this.add(batch);
      for (const [, { figures }] of batch) deliveries += figures.checked ?? 0n;
    }
    return deliveries;
  }

  add(found: readonly Found[]): void {
    for (const [check, findings] of found) this.tallies.of(check).add(findings);
  }

  /** Reports that one step is left, or none. @param what the last step, in words; absent if none is left. */
  async end(what?: string): Promise<void> {
    const total = Math.ceil(this.total);
    await this.onProgress(what === undefined ? total : total - 1, total, what ?? '');
  }

  private async *batches<Batch>(
    book: Book,
    range: Range,
    read: (tx: Queryable, range: Range) => Promise<Batch>,
  ): AsyncGenerator<Batch> {
    let { after } = range;
    while (after < range.through) {
      await this.onProgress(Math.floor(this.done), Math.ceil(this.total), IN_WORDS[book]);
      const next = await this.snapshots(async (tx) => {
        const through = await this.books.endOfBatch(tx, book, { ...range, after }, BATCH_ROWS);
        return through === null ? null : { through, batch: await read(tx, { after, through }) };
      });
      const through = next?.through ?? range.through;
      this.done += Number(through - after) / BATCH_ROWS;
      after = through;
      if (next) yield next.batch;
    }
  }
}
