import { Injectable } from '@nestjs/common';
import { MAX_BIGINT } from '../../core/pagination.js';
import type { Queryable } from '../../database/database.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inPieceSnapshot } from '../../database/snapshot.js';
import { AuditRepository, CHECKS, type Extent, type Range } from './audit.repository.js';
import type { ClosedMonth } from './closed-month.entity.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import { behind, differenceOf, endOf, FROM_THE_START, problemOf, type Placed } from './closing.js';
import { CLOSINGS_CHECK } from './ledger-checks.js';
import { ClosingsRepository, type ArchivedOrdersService } from './closings.repository.js';
import { Reading, type OnProgress, type Snapshots } from './reading.js';
import type { CheckResult } from './tally.js';

export type { CheckResult } from './tally.js';

/** What was checked now, and what was when its month was closed. */
export interface Coverage {
  /** Whether all there is was read, closed months as well. */
  full: boolean;
  /** How many orders and movements of money were read now. */
  orders: bigint;
  transfers: bigint;
  /** The closed months; null where none is. */
  closed: ClosedRange | null;
  /** What can't be read because it was archived; null where nothing was. */
  archived: ArchivedRange | null;
}

/** Archived orders, and the first and the last month that they are of. */
export interface ArchivedRange {
  from: string;
  through: string;
  orders: bigint;
}

/** Closed months, from the first to the last. */
export interface ClosedRange {
  from: string;
  through: string;
  months: number;
  orders: bigint;
  /** Those of them that had not ended, and so are checked each time. */
  leftOpen: number;
  lastClosedAt: Date;
}

export interface AuditResult {
  checks: CheckResult[];
  coverage: Coverage;
}

interface Options {
  /** Also read what is in closed months, and compare these with it. */
  full?: boolean;
  onProgress?: OnProgress | undefined;
}

/** Each takes a fraction of the time of the one before. */
const MAX_ROUNDS = 3;

/** What an audit begins with. */
interface Beginning {
  closings: ClosedMonth[];
  /** The wallets of the last of these. */
  wallets: ClosedWallet[];
  extent: Extent;
  archived: ArchivedOrdersService[];
}

/**
 * Checks the books, beside whatever else is running: what is in no closed month, and with `full` all there is. Orders are
 * read piece by piece, each piece at a moment of its own; movements of money are added up to where none can come any more,
 * and what wallets have is compared with them and with the rest at one moment.
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
    return this.check((read) => inPieceSnapshot(server, read), options);
  }

  /** The same of whatever `snapshots` lets it see. */
  async check(snapshots: Snapshots, { full = false, onProgress }: Options = {}): Promise<AuditResult> {
    const beginning = await snapshots((tx) => this.begin(tx));
    const { closings, wallets, extent, archived } = beginning;
    const last = closings.at(-1);
    const reading = new Reading(snapshots, this.books, CHECKS, full ? [] : wallets, onProgress);
    await this.checkChain(reading, closings);
    const from = full ? FROM_THE_START : endOf(last);
    reading.expect(...(['orders', 'transfers', 'deliveries'] as const).map((book) => behind(from, extent, book)));
    const known = full ? await this.readClosed(reading, closings, archived) : { orders: 0n, transfers: 0n };
    const rest = endOf(last);
    let transfers = await reading.transfers(behind(rest, extent, 'transfers'));
    const orders = await reading.orders(behind(rest, extent, 'orders'));
    const leftOpen = full ? 0n : (await reading.namedOrders(last?.left_open ?? [])).orders;
    await reading.deliveries(behind(from, extent, 'deliveries'));
    await reading.end('wallets');
    let settled = extent.transfers > rest.transfers ? extent.transfers : rest.transfers;
    // What was moved since it began, piece by piece, so that little is left for the one moment.
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

  /** Each closing is as it was made, and continues the one before. */
  private async checkChain(reading: Reading, closings: readonly ClosedMonth[]): Promise<void> {
    const tally = reading.tallies.of(CLOSINGS_CHECK);
    let before: Placed | null = null;
    for (const closing of closings) {
      const wallets = await reading.at((tx) => this.closings.wallets(tx, closing.month));
      const problem = problemOf(closing, wallets, before);
      if (problem !== null) tally.find(problem);
      before = { closing, wallets };
    }
    tally.count({ checked: BigInt(closings.length), wallets: BigInt(before?.wallets.length ?? 0) });
  }

  /** Reads closed months again, and compares each closing with what is found and how much is archived. */
  private async readClosed(
    reading: Reading,
    closings: readonly ClosedMonth[],
    archive: readonly ArchivedOrdersService[],
  ): Promise<{ orders: bigint; transfers: bigint }> {
    const read = { orders: 0n, transfers: 0n };
    let from = FROM_THE_START;
    for (const closing of closings) {
      // Whatever it says of where it begins: a closing that is missing hides nothing.
      const to = endOf(closing);
      const transfers = await reading.transfers(behind(from, to, 'transfers'));
      const range = behind(from, to, 'orders');
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

  /** How many orders of a month are there and how many are archived, where some came or went while they were read. */
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

  /** Compares wallets with all movements, the latest included, at one moment. @returns how many those are. */
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
      reading.tallies.of(CLOSINGS_CHECK).find(`order ${number} of a closed month is open, and was not left open`);
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

const archivedOf = (month: string, archive: readonly ArchivedOrdersService[]): bigint =>
  archive
    .flatMap(({ months }) => months)
    .reduce((sum, each) => (each.month === month ? sum + BigInt(each.orders) : sum), 0n);

function archivedRangeOf(archive: readonly ArchivedOrdersService[]): ArchivedRange | null {
  const months = archive
    .flatMap((each) => each.months.filter(({ orders }) => orders > 0).map(({ month }) => month))
    .sort();
  const [from] = months;
  const through = months.at(-1);
  if (from === undefined || through === undefined) return null;
  return { from, through, orders: archive.reduce((sum, { orders }) => sum + orders, 0n) };
}
