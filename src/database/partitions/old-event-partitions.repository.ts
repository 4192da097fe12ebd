import { isTableMissing } from '../../core/postgres-errors.js';
import { withBriefLock } from './brief-lock.js';
import {
  ATTEMPTS,
  DELIVERIES,
  EVENTS,
  filledPartitions,
  partitionsOf,
  type EventTable,
  type Partition,
} from './event-partitions.js';
import { selectFirstIdSince } from '../first-id-since.sql.js';
import type { Execute } from './runs.js';

/** The check of a partition's age reads this many of its newest rows, and `SPREAD` others, spread evenly over the partition. */
const NEWEST = 10_000;
const SPREAD = 1_000;

/**
 * Shares of `days`. Retention does not remove rows one by one if the newest row of their partition will be older than
 * `days` within `SOON_SHARE`, because the partition will soon be dropped. Once a row has been older than `days` for
 * `LATEST_SHARE`, retention removes it anyway.
 */
const SOON_SHARE = 0.1;
const LATEST_SHARE = 0.2;

/** How long the last check before a drop may take, and then the drop itself. The tables are locked meanwhile. */
const CHECK_MS = 250;

/** Ids from the first through the last. */
export interface IdRange {
  first: bigint;
  last: bigint;
}

/** A partition of deliveries, and the partition of exactly their attempts. */
interface DeliveriesWithAttempts {
  deliveries: Partition;
  attempts: Partition;
}

/**
 * Finds and drops the partitions of events, deliveries and attempts whose rows are all older than `days`. A partition that
 * still gets ids, such as the newest partition, is never old. If the database's clock is past `clockLimit`, it was set
 * forward: ages are then measured at `clockLimit`.
 */
export class OldEventPartitions {
  constructor(
    private readonly execute: Execute,
    private readonly days: number,
    private readonly clockLimit: Date,
  ) {}

  /** Lists old partitions of deliveries, even if one of the deliveries still waits for an attempt. */
  async listDeliveries(): Promise<DeliveriesWithAttempts[]> {
    const attempts = await partitionsOf(this.execute, ATTEMPTS.table);
    const found: DeliveriesWithAttempts[] = [];
    for (const deliveries of await this.listOld(DELIVERIES)) {
      const theirs = attempts.find(({ from, upTo }) => from === deliveries.from && upTo === deliveries.upTo);
      // Without a matching partition, some attempts would stay behind.
      if (theirs) found.push({ deliveries, attempts: theirs });
    }
    return found;
  }

  /** Lists old partitions of events that have no deliveries any more. */
  async listEvents(): Promise<Partition[]> {
    const found: Partition[] = [];
    for (const events of await this.listOld(EVENTS))
      if (await this.isTrue(haveNoDeliveries(events))) found.push(events);
    return found;
  }

  /** Records that events older than `days` may be removed, so that no audit reports them as missing. */
  async announce(): Promise<void> {
    await this.execute(`UPDATE event_retention SET removed_until = greatest(removed_until, ${this.cutoff})`);
  }

  /**
   * Drops deliveries and their attempts. Settlements and webhook attempts wait for some tenths of a second.
   * @returns false if a delivery waits for an attempt, or another process was first.
   * @throws LocksNotFree
   */
  async dropDeliveries({ deliveries, attempts }: DeliveriesWithAttempts): Promise<boolean> {
    const { name } = deliveries;
    const noneWaits = ['due_at', 'leased_until'].map(
      (column) => `NOT EXISTS (SELECT FROM ${name} WHERE ${column} IS NOT NULL)`,
    );
    // Checks without a lock first: a delivery may wait for days.
    if (!(await this.isTrue(noneWaits.join(' AND ')))) return false;
    return this.drop(
      [
        [DELIVERIES, deliveries],
        [ATTEMPTS, attempts],
      ],
      [this.isNewestOld(deliveries), ...noneWaits],
    );
  }

  /**
   * Drops events. The caller must have announced them long before: every snapshot that is open now must already contain the
   * announcement.
   * @returns false if their newest row is not old, they have deliveries, or another process was first.
   * @throws LocksNotFree
   */
  dropEvents(events: Partition): Promise<boolean> {
    return this.drop([[EVENTS, events]], [this.isNewestOld(events), haveNoDeliveries(events)]);
  }

  /**
   * Lists the events, lowest ids first, that retention must not remove row by row, because a drop of a partition will
   * soon remove them or their deliveries. It leaves out events that have been old for `LATEST_SHARE` of the days. A partition
   * of events can be dropped only when its events have no deliveries. So the list also leaves out events whose deliveries may be in
   * a partition that stays.
   */
  async listWaiting(): Promise<IdRange[]> {
    const soon = (await this.listSoonOld(DELIVERIES)).map(({ name }) => name);
    // The events whose deliveries are in a partition that will soon be dropped, or in one that stays.
    const leaving: IdRange[] = [];
    const staying: IdRange[] = [];
    for (const { name } of await partitionsOf(this.execute, DELIVERIES.table)) {
      const range = await this.eventsOf(name);
      if (range) (soon.includes(name) ? leaving : staying).push(range);
    }
    const events = (await this.listSoonOld(EVENTS)).map(({ from, upTo }) => ({
      first: from ?? 0n,
      last: upTo - 1n,
    }));
    const waiting = [...leaving, ...without(events, staying)];
    const [{ id } = { id: 0 }] = await this.execute<{ id: bigint | string }>(
      selectFirstIdSince('events', `${this.cutoff} - ${this.share(LATEST_SHARE)}`),
    );
    const late = { first: 0n, last: BigInt(id) - 1n };
    return without(waiting, [late]).sort((one, other) => (one.first < other.first ? -1 : 1));
  }

  private get cutoff(): string {
    return `least(statement_timestamp(), '${this.clockLimit.toISOString()}') - make_interval(days => ${this.days})`;
  }

  /** In SQL: a share of the days as an interval. */
  private share(share: number): string {
    return `make_interval(secs => ${this.days * 86_400 * share})`;
  }

  /**
   * Ids rise with time, so a partition is as old as its newest rows. The check also covers other rows, because the clock may
   * have been wrong for a while.
   */
  private async listOld(eventTable: EventTable): Promise<Partition[]> {
    const found: Partition[] = [];
    for (const partition of await filledPartitions(this.execute, eventTable)) {
      const { name } = partition;
      const areRowsOld = `
        (SELECT coalesce(max(created_at) < ${this.cutoff}, true) FROM (
           (SELECT created_at FROM ${name} ORDER BY id DESC LIMIT ${NEWEST})
           UNION ALL
           SELECT next.created_at
           FROM (SELECT min(id) AS lowest, max(id) AS highest FROM ${name}) ends,
                generate_series(lowest, highest, greatest((highest - lowest) / ${SPREAD}, 1)) AS at,
                LATERAL (SELECT created_at FROM ${name} WHERE id >= at ORDER BY id LIMIT 1) next) rows)`;
      if ((await this.isTrue(this.isNewestOld(partition))) && (await this.isTrue(areRowsOld))) found.push(partition);
    }
    return found;
  }

  /** In SQL: whether the partition's newest row is old. An empty partition counts as old. */
  private isNewestOld({ name }: Partition): string {
    return `coalesce(${newestOf(name)} < ${this.cutoff}, true)`;
  }

  private async listSoonOld(eventTable: EventTable): Promise<Partition[]> {
    const found: Partition[] = [];
    for (const partition of await filledPartitions(this.execute, eventTable)) {
      const newest = newestOf(partition.name);
      if (await this.isTrue(`${newest} < ${this.cutoff} + ${this.share(SOON_SHARE)}`)) found.push(partition);
    }
    return found;
  }

  /** The range of the events whose deliveries are in a partition. */
  private async eventsOf(deliveries: string): Promise<IdRange | null> {
    const [ends] = await this.queryUnlessGone<{ first: bigint | string | null; last: bigint | string | null }>(
      `SELECT min(event_id) AS first, max(event_id) AS last FROM ${deliveries}`,
    );
    if (!ends || ends.first === null || ends.last === null) return null;
    return { first: BigInt(ends.first), last: BigInt(ends.last) };
  }

  /** Locks the partitions' tables, and drops the partitions if all conditions hold. Returns false if not. */
  private async drop(parts: [EventTable, Partition][], conditions: string[]): Promise<boolean> {
    const tables = parts.map(([{ table }, { name }]) => `ONLY ${table}, ${name}`).join(', ');
    const dropIfSo = async (): Promise<boolean> => {
      await this.execute(`SET LOCAL statement_timeout = ${CHECK_MS}`);
      const isSo = await this.isTrue(conditions.join(' AND '));
      if (isSo) await this.execute(`DROP TABLE ${parts.map(([, { name }]) => name).join(', ')}`);
      // No timeout for COMMIT: it removes the files, which takes long, but only after it has released the locks.
      await this.execute('SET LOCAL statement_timeout = 0');
      return isSo;
    };
    try {
      return await withBriefLock(this.execute, tables, dropIfSo, 1);
    } catch (error) {
      if (isTableMissing(error)) return false;
      throw error;
    }
  }

  private async isTrue(condition: string): Promise<boolean> {
    const [row] = await this.queryUnlessGone<{ holds: boolean | null }>(`SELECT ${condition} AS holds`);
    return row?.holds ?? false;
  }

  /** Returns no row if another process has dropped the partition meanwhile. */
  private async queryUnlessGone<Row extends object>(text: string): Promise<Row[]> {
    try {
      return await this.execute<Row>(text);
    } catch (error) {
      if (isTableMissing(error)) return [];
      throw error;
    }
  }
}

const newestOf = (partition: string): string => `(SELECT created_at FROM ${partition} ORDER BY id DESC LIMIT 1)`;

const haveNoDeliveries = ({ from, upTo }: Partition): string =>
  `NOT EXISTS (SELECT FROM ${DELIVERIES.table} WHERE event_id >= ${from ?? 0n} AND event_id < ${upTo})`;

/** Subtracts other ranges from ranges. */
const without = (ranges: IdRange[], others: IdRange[]): IdRange[] =>
  others.reduce(
    (left, other) =>
      left
        .flatMap(({ first, last }) => [
          { first, last: last < other.first ? last : other.first - 1n },
          { first: first > other.last ? first : other.last + 1n, last },
        ])
        .filter(({ first, last }) => first <= last),
    ranges,
  );
