import { Injectable } from '@nestjs/common';
import { MAX_BIGINT } from '../../core/pagination.js';
import type { Queryable } from '../../database/database.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inBatchSnapshot } from '../../database/snapshot.js';
import { AuditRepository, CHECKS, type Extent, type Range } from './audit.repository.js';
import type { ClosedMonth } from './closed-month.entity.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import { rangeBetween, differenceOf, endOf, FROM_THE_START, problemOf, type ClosingWithWallets } from './closing.js';
import { CLOSINGS_CHECK } from './ledger-checks.js';
import { ClosingsRepository, type ArchivedOrders } from './closings.repository.js';
import { Reading, type OnProgress, type Snapshots } from './reading.js';
import type { CheckResult } from './tally.js';

export type { CheckResult } from './tally.js';

/** The extent of an audit: the rows that it read, the closed months and the archived orders. */
export interface Coverage {
  /** Whether closed months were read again. */
  full: boolean;
  /** The orders that were read now. */
  orders: bigint;
  transfers: bigint;
  /** The closed months; null without any. */
  closed: ClosedRange | null;
  /** Archived orders, which can't be read; null without any. */
  archived: ArchivedRange | null;
}

/** Archived orders, with the first and the last of their months. */
interface ArchivedRange {
  from: string;
  through: string;
  orders: bigint;
}

/** Closed months, from the first to the last. */
interface ClosedRange {
  from: string;
  through: string;
  months: number;
  orders: bigint;
  /** The number of orders of closed months that were open at the last closing. Each audit checks these orders again. */
  leftOpen: number;
  lastClosedAt: Date;
}

export interface AuditResult {
  checks: CheckResult[];
  coverage: Coverage;
}

interface Options {
  /** Also reads closed months again and compares them with their closings. */
  full?: boolean;
  onProgress?: OnProgress | undefined;
}

/** Each round only corrects for the changes during the round before, so a few rounds suffice. */
const MAX_ROUNDS = 3;

/** Where an audit begins. */
interface Beginning {
  closings: ClosedMonth[];
  /** The wallets at the end of the last closed month. */
  wallets: ClosedWallet[];
  extent: Extent;
  archived: ArchivedOrders[];
}

/**
 * Checks the books while the service runs: everything after the last closed month, or all with `full`. It reads orders in
 * batches, each in its own snapshot. It adds up movements of money up to an id below which no new movement can appear. Then it
 * reads the remaining movements and the wallets in one snapshot, and compares the wallets with all movements.
 */
@Injectable()
export class AuditService {
  constructor(
    private readonly reads: ReplicaReadsService,
    private readonly books: AuditRepository,
    private readonly closings: ClosingsRepository,
  ) {}

  run(options: Options = {}): Promise<AuditResult> {
    const server = this.reads.together();
    return this.check((read) => inBatchSnapshot(server, read), options);
  }

  /** Checks in snapshots that the caller provides. */
  async check(snapshots: Snapshots, { full = false, onProgress }: Options = {}): Promise<AuditResult> {
    const beginning = await snapshots((tx) => this.begin(tx));
    const { closings, wallets, extent, archived } = beginning;
    const last = closings.at(-1);
    const reading = new Reading(snapshots, this.books, CHECKS, full ? [] : wallets, onProgress);
    await this.checkChain(reading, closings);
    const from = full ? FROM_THE_START : endOf(last);
    reading.expect(...(['orders', 'transfers', 'deliveries'] as const).map((book) => rangeBetween(from, extent, book)));
    const known = full ? await this.readClosed(reading, closings, archived) : { orders: 0n, transfers: 0n };
    const rest = endOf(last);
    let transfers = await reading.transfers(rangeBetween(rest, extent, 'transfers'));
    const orders = await reading.orders(rangeBetween(rest, extent, 'orders'));
    const leftOpen = full ? 0n : (await reading.namedOrders(last?.left_open ?? [])).orders;
    await reading.deliveries(rangeBetween(from, extent, 'deliveries'));
    await reading.end('wallets');
    let settled = extent.transfers > rest.transfers ? extent.transfers : rest.transfers;
    // Catches up with movements that came meanwhile, so that few are left for the last snapshot.
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { transfers: through } = await reading.at((tx) => this.books.extent(tx));
      if (through <= settled) break;
      transfers += await reading.transfers({ after: settled, through });
      settled = through;
    }
    const late = await this.checkMoment(reading, settled, last);
    await reading.end();
    return {
      checks: reading.tallies.results,
      coverage: {
        full,
        orders: known.orders + orders.orders + leftOpen,
        transfers: known.transfers + transfers + late,
        closed: rangeOf(closings),
        archived: archivedRangeOf(archived),
      },
    };
  }

  private async begin(tx: Queryable): Promise<Beginning> {
    const closings = await this.closings.list(tx);
    const last = closings.at(-1);
    const wallets = last ? await this.closings.wallets(tx, last.month) : [];
    const archived = await this.closings.listArchived(tx);
    return { closings, wallets, extent: await this.books.extent(tx), archived };
  }

  /** Checks that no closing was changed, and that each closing continues the closing before it. */
  private async checkChain(reading: Reading, closings: readonly ClosedMonth[]): Promise<void> {
    const tally = reading.tallies.of(CLOSINGS_CHECK);
    let before: ClosingWithWallets | null = null;
    for (const closing of closings) {
      const wallets = await reading.at((tx) => this.closings.wallets(tx, closing.month));
      const problem = problemOf(closing, wallets, before);
      if (problem !== null) tally.find(problem);
      before = { closing, wallets };
    }
    tally.count({ checked: BigInt(closings.length), wallets: BigInt(before?.wallets.length ?? 0) });
  }

  /** Reads closed months again, and compares each closing with the rows and with the numbers of archived orders. */
  private async readClosed(
    reading: Reading,
    closings: readonly ClosedMonth[],
    archive: readonly ArchivedOrders[],
  ): Promise<{ orders: bigint; transfers: bigint }> {
    const read = { orders: 0n, transfers: 0n };
    let from = FROM_THE_START;
    for (const closing of closings) {
      // Reads from the end of the closing before. This closing's own start may skip rows, if a closing is missing.
      const to = endOf(closing);
      const transfers = await reading.transfers(rangeBetween(from, to, 'transfers'));
      const range = rangeBetween(from, to, 'orders');
      const { orders } = await reading.orders(range);
      from = to;
      const wallets = await reading.at((tx) => this.closings.wallets(tx, closing.month));
      let there = { orders, archived: archivedOf(closing.month, archive) };
      if (there.orders + there.archived !== closing.orders)
        there = await this.countAgain(reading, closing.month, range);
      const found = { ...there, transfers, wallets: reading.ledger.closing };
      const problem = differenceOf(closing, wallets, found);
      if (problem !== null) reading.tallies.of(CLOSINGS_CHECK).find(problem);
      read.orders += orders;
      read.transfers += transfers;
    }
    return read;
  }

  /**
   * Counts present and archived orders of a month again, because some may have been archived or restored during the
   * reading.
   */
  private async countAgain(
    reading: Reading,
    month: string,
    range: Range,
  ): Promise<{ orders: bigint; archived: bigint }> {
    for (let round = 1; ; round++) {
      const before = archivedOf(month, await reading.at((tx) => this.closings.listArchived(tx)));
      const orders = await reading.countOrders(range);
      const archived = archivedOf(month, await reading.at((tx) => this.closings.listArchived(tx)));
      if (archived === before || round === MAX_ROUNDS) return { orders, archived };
    }
  }

  /** Compares wallets with all movements in one snapshot. @returns the number of movements after the id. */
  private async checkMoment(reading: Reading, after: bigint, last?: ClosedMonth): Promise<bigint> {
    const { movements, balances, found, unknown } = await reading.at(async (tx) => ({
      movements: await this.books.movements(tx, { after, through: MAX_BIGINT }),
      balances: await this.books.balances(tx),
      found: await this.books.checkMoment(tx),
      unknown: last ? await this.books.unknownOpen(tx, last.orders_through, last.left_open) : [],
    }));
    reading.ledger.add(movements);
    reading.ledger.checkBalances(balances);
    reading.add(found);
    for (const number of unknown)
      reading.tallies
        .of(CLOSINGS_CHECK)
        .find(`order ${number} of a closed month is open, but the last closing does not list it`);
    return movements.reduce((sum, { transfers }) => sum + transfers, 0n);
  }
}

function rangeOf(closings: readonly ClosedMonth[]): ClosedRange | null {
  const [first] = closings;
  const last = closings.at(-1);
  if (!first || !last) return null;
  return {
    from: first.month,
    through: last.month,
    months: closings.length,
    orders: closings.reduce((sum, { orders }) => sum + orders, 0n),
    leftOpen: last.left_open.length,
    lastClosedAt: last.closed_at,
  };
}

const archivedOf = (month: string, archive: readonly ArchivedOrders[]): bigint =>
  archive
    .flatMap(({ months }) => months)
    .reduce((sum, each) => (each.month === month ? sum + BigInt(each.orders) : sum), 0n);

function archivedRangeOf(archive: readonly ArchivedOrders[]): ArchivedRange | null {
  const months = archive
    .flatMap((each) => each.months.filter(({ orders }) => orders > 0).map(({ month }) => month))
    .sort();
  const [from] = months;
  const through = months.at(-1);
  if (from === undefined || through === undefined) return null;
  return { from, through, orders: archive.reduce((sum, { orders }) => sum + orders, 0n) };
}
