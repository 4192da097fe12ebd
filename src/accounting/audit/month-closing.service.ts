import { Injectable } from '@nestjs/common';
import { assertActor, recordAction, type Actor } from '../../audit-log/audit-log.js';
import { AppError } from '../../core/errors.js';
import { serviceVersion } from '../../core/project-root.js';
import { Database } from '../../database/database.js';
import { ReplicaReadsService } from '../../database/replica-reads.service.js';
import { inBatchSnapshot } from '../../database/snapshot.js';
import { AuditRepository, MONTH_CHECKS, type Extent } from './audit.repository.js';
import type { ClosedMonth } from './closed-month.entity.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import { endOf, hashOf, monthAfter, problemOf, type Closing, type WalletClosing } from './closing.js';
import { ClosingsRepository } from './closings.repository.js';
import { Reading, type OnProgress } from './reading.js';
import type { CheckResult } from './tally.js';

export type { ClosedMonth } from './closed-month.entity.js';
export type { ClosedWallet } from './closed-wallet.entity.js';

/** A month can't be closed yet if more than this many orders, placed until its end, are open. */
const MAX_LEFT_OPEN = 10_000;

/** How to close months. */
export interface CloseOptions {
  /** How many days ago a month must have ended, so that its latest orders can end. */
  days: number;
  /** Absent for the worker's own task. */
  by?: Actor;
  onProgress?: (month: string) => OnProgress;
}

/** Why a month was not closed. */
export interface Refusal {
  month: string;
  /** The checks that failed. */
  checks: CheckResult[];
}

export const isRefusal = (found: ClosedMonth | Refusal): found is Refusal => !('hash' in found);

/** The month to close next, with the closing before it. */
interface NextMonth {
  month: string;
  last: ClosedMonth | undefined;
  wallets: ClosedWallet[];
}

/**
 * Closes months: checks the orders, movements and deliveries of a month once, and stores the wallets at its end. Audits continue
 * from there.
 */
@Injectable()
export class MonthClosingService {
  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReadsService,
    private readonly books: AuditRepository,
    private readonly closings: ClosingsRepository,
  ) {}

  /** Oldest first. */
  list(): Promise<ClosedMonth[]> {
    return this.closings.list(this.database);
  }

  /** A closed month with its wallets. @throws NOT_FOUND */
  async show(month: string): Promise<{ closing: ClosedMonth; wallets: ClosedWallet[] }> {
    const closing = (await this.list()).find((each) => each.month === month);
    if (!closing) throw new AppError('NOT_FOUND', `${month} is not closed`);
    return { closing, wallets: await this.closings.wallets(this.database, month) };
  }

  /**
   * Closes months one after the other, each in its own transaction, and yields each closed month. If a check fails, yields the
   * refusal and stops: that month stays open.
   * @param through the last month to close; absent for as many as possible.
   * @throws BAD_REQUEST as {@link assertActor}, or if `through` ended too recently or is not in the books; CONFLICT if `through`
   * is closed, the last closing was changed, too many orders are open, or another process closes months.
   */
  async *close(options: CloseOptions, through?: string): AsyncGenerator<ClosedMonth | Refusal, void> {
    // Check the operator and the reason before the work, not after it.
    if (options.by) assertActor(options.by);
    if (through !== undefined) await this.assertClosable(through, options.days);
    for (;;) {
      const next = await this.findNextMonth();
      if (next === null || (through !== undefined && next.month > through)) return;
      const { closable, stop } = await this.closings.endOf(next.month, options.days);
      if (!closable) return;
      const found = await this.closeOne(next, stop, options);
      yield found;
      if (isRefusal(found)) return;
    }
  }

  private async assertClosable(month: string, days: number): Promise<void> {
    const { closable, closable_at: at } = await this.closings.endOf(month, days);
    if (!closable) throw new AppError('BAD_REQUEST', `${month} can be closed from ${at.toISOString()} on`);
    const next = await this.findNextMonth();
    if (next === null) throw new AppError('BAD_REQUEST', 'there is nothing in the books yet');
    const begin = (await this.list())[0]?.month ?? next.month;
    if (month < begin) throw new AppError('BAD_REQUEST', `the books begin in ${begin}: there is nothing in ${month}`);
    if (month < next.month) throw new AppError('CONFLICT', `${month} is closed already`);
  }

  /** The month to close next. Reads the primary, which has every closing. */
  private async findNextMonth(): Promise<NextMonth | null> {
    const last = (await this.list()).at(-1);
    const month = last ? monthAfter(last.month) : await this.closings.firstMonth();
    if (month === null) return null;
    const wallets = last ? await this.closings.wallets(this.database, last.month) : [];
    return { month, last, wallets };
  }

  private async closeOne(next: NextMonth, stop: Date, options: CloseOptions): Promise<ClosedMonth | Refusal> {
    const { month, last, wallets } = next;
    await this.assertWhole(next);
    const from = endOf(last);
    const to = notBefore(from, await this.closings.lastIdsBefore(stop));
    await this.assertFewOpen(month, to.orders);
    const server = this.reads.together();
    const reading = new Reading(
      (read) => inBatchSnapshot(server, read),
      this.books,
      MONTH_CHECKS,
      wallets,
      options.onProgress?.(month),
    );
    const ranges = {
      transfers: { after: from.transfers, through: to.transfers },
      orders: { after: from.orders, through: to.orders },
      deliveries: { after: from.deliveries, through: to.deliveries },
    };
    reading.expect(...Object.values(ranges));
    const transfers = await reading.transfers(ranges.transfers);
    reading.ledger.checkNotNegative();
    const read = await reading.orders(ranges.orders);
    const before = await reading.namedOrders(last?.left_open ?? []);
    const deliveries = await reading.deliveries(ranges.deliveries);
    await reading.end();
    const { results } = reading.tallies;
    const failed = results.filter(({ ok }) => !ok);
    if (failed.length > 0) return { month, checks: failed };
    const closing = {
      month,
      orders_after: from.orders,
      orders_through: to.orders,
      orders: read.orders,
      transfers_after: from.transfers,
      transfers_through: to.transfers,
      transfers,
      deliveries_after: from.deliveries,
      deliveries_through: to.deliveries,
      deliveries,
      left_open: [...before.open, ...read.open],
      checks: results.map(({ name, detail }) => ({ name, detail })),
      previous_hash: last?.hash ?? null,
    };
    return this.write(closing, reading.ledger.closing, options.by);
  }

  /** @throws CONFLICT if the last closing was changed: the next one must not build on it. */
  private async assertWhole({ last, wallets }: NextMonth): Promise<void> {
    if (!last) return;
    const closings = await this.list();
    const earlier = closings.at(-2) ?? null;
    const before = earlier && {
      closing: earlier,
      wallets: await this.closings.wallets(this.database, earlier.month),
    };
    const problem = problemOf(last, wallets, before);
    if (problem !== null) throw new AppError('CONFLICT', `no month can be closed: ${problem}. See topup audit --full`);
  }

  private async assertFewOpen(month: string, through: bigint): Promise<void> {
    const { length: open } = await this.books.unknownOpen(this.database, through, []);
    if (open > MAX_LEFT_OPEN)
      throw new AppError(
        'CONFLICT',
        `${month} can't be closed yet: ${open} orders placed until its end have not ended`,
      );
  }

  private async write(
    found: Omit<Closing, 'wallets' | 'version' | 'closed_by' | 'closed_at'>,
    wallets: WalletClosing[],
    by: Actor | undefined,
  ): Promise<ClosedMonth> {
    const closing = {
      ...found,
      wallets: wallets.length,
      version: serviceVersion(),
      closed_by: by?.operator ?? 'worker',
      closed_at: new Date(),
    };
    const closed = { ...closing, hash: hashOf(closing, wallets) };
    const { month, orders, left_open: leftOpen, hash } = closed;
    await this.database.transaction(async (tx) => {
      await this.closings.insert(tx, closed, wallets);
      const detail = {
        month,
        orders: Number(orders),
        left_open: leftOpen.length,
        hash: hash.toString('hex'),
      };
      recordAction(tx, by, { action: 'month.close', detail });
    });
    return closed;
  }
}

/** The later of two extents: a book from which old rows were removed seems to end earlier. */
const notBefore = (from: Extent, to: Extent): Extent => ({
  orders: later(from.orders, to.orders),
  transfers: later(from.transfers, to.transfers),
  deliveries: later(from.deliveries, to.deliveries),
});

const later = (one: bigint, other: bigint): bigint => (other > one ? other : one);
