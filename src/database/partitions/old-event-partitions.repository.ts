import { briefly } from './briefly.js';
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
import type { Run } from './runs.js';

/** So many of the newest rows are looked at, and so many others that are spread evenly over the partition. */
const NEWEST = 10_000;
const SPREAD = 1_000;

/**
 * Rows are left to the partition that they are in when its newest row is old within this share of the days, and until they are
 * older than that by the other share.
 */
const SOON_SHARE = 0.1;
const LATEST_SHARE = 0.2;

/** How long the tables may be locked for a last look. */
const LOOK_MS = 250;

/** Whether it is PostgreSQL's word that there is no such table. */
const isGone = (error: unknown): boolean => (error as { code?: string }).code === '42P01';

/** Ids from the first through the last. */
export interface IdRange {
  first: bigint;
  last: bigint;
}

/** A partition of deliveries, and that of attempts which has theirs and no others. */
export interface DeliveriesWithAttempts {
  deliveries: Partition;
  attempts: Partition;
}

/**
 * The partitions of events, deliveries and attempts that are dropped once all that they have is older than so many days.
 * None is among them that ids are still given out for: the newest one never is.
 */
export class OldEventPartitions {
  constructor(
    private readonly run: Run,
    private readonly days: number,
  ) {}

  /** Old deliveries, whether or not one of them still waits for an attempt. */
  async findDeliveries(): Promise<DeliveriesWithAttempts[]> {
    const attempts = await partitionsOf(this.run, ATTEMPTS.table);
    const found: DeliveriesWithAttempts[] = [];
    for (const deliveries of await this.findOld(DELIVERIES)) {
      const theirs = attempts.find(({ from, upTo }) => from === deliveries.from && upTo === deliveries.upTo);
      // Without it, some attempts would be left behind.
      if (theirs) found.push({ deliveries, attempts: theirs });
    }
    return found;
  }

  /** Old events that have no deliveries any more. */
  async findEvents(): Promise<Partition[]> {
    const found: Partition[] = [];
    for (const events of await this.findOld(EVENTS))
      if (await this.isTrue(haveNoDeliveries(events))) found.push(events);
    return found;
  }

  /** Says that events of this age may be gone, so that no audit misses them. */
  async announce(): Promise<void> {
    await this.run(`UPDATE event_retention SET removed_until = greatest(removed_until, ${this.cutoff})`);
  }

  /**
   * Drops deliveries and their attempts. Who ends orders or delivers waits for that, for as long as {@link briefly} says.
   * @returns whether it did: not where a delivery waits for an attempt, or another process was first.
   * @throws LocksNotFree
   */
  async dropDeliveries({ deliveries, attempts }: DeliveriesWithAttempts): Promise<boolean> {
    const { name } = deliveries;
    const noneWaits = ['due_at', 'leased_until'].map(
      (column) => `NOT EXISTS (SELECT FROM ${name} WHERE ${column} IS NOT NULL)`,
    );
    // First without a lock: a delivery may wait for days.
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
   * Drops events. To be announced before, by some time: whoever reads events at one moment must have seen that first.
   * @returns whether it did: not where they have deliveries, or another process was first.
   * @throws LocksNotFree
   */
  dropEvents(events: Partition): Promise<boolean> {
    return this.drop([[EVENTS, events]], [this.isNewestOld(events), haveNoDeliveries(events)]);
  }

  /**
   * The events that need not be removed row by row, because they or their deliveries go with a partition soon, lowest ids
   * first. None whose deliveries are in a partition that stays is among them: its own could not go before. And none is that
   * has waited for long.
   */
  async findWaiting(): Promise<IdRange[]> {
    const soon = (await this.findSoonOld(DELIVERIES)).map(({ name }) => name);
    const going: IdRange[] = [];
    const staying: IdRange[] = [];
    for (const { name } of await partitionsOf(this.run, DELIVERIES.table)) {
      const range = await this.eventsOf(name);
      if (range) (soon.includes(name) ? going : staying).push(range);
    }
    const events = (await this.findSoonOld(EVENTS)).map(({ from, upTo }) => ({
      first: from ?? 0n,
      last: upTo - 1n,
    }));
    const waiting = [...going, ...without(events, staying)];
    const [{ id } = { id: 0 }] = await this.run<{ id: bigint | string }>(
      selectFirstIdSince('events', `${this.cutoff} - ${this.share(LATEST_SHARE)}`),
    );
    const late = { first: 0n, last: BigInt(id) - 1n };
    return without(waiting, [late]).sort((one, other) => (one.first < other.first ? -1 : 1));
  }

  private get cutoff(): string {
    return `statement_timestamp() - make_interval(days => ${this.days})`;
  }

  /** In SQL, of the days. */
  private share(share: number): string {
    return `make_interval(secs => ${this.days * 86_400 * share})`;
  }

  /**
   * Ids rise with the time, so a partition is as old as its newest rows are. The others are looked at for the sake of a clock
   * that was wrong for a while.
   */
  private async findOld(kept: EventTable): Promise<Partition[]> {
    const found: Partition[] = [];
    for (const partition of await filledPartitions(this.run, kept)) {
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

  /** In SQL: so is an empty one. */
  private isNewestOld({ name }: Partition): string {
    return `coalesce(${newestOf(name)} < ${this.cutoff}, true)`;
  }

  private async findSoonOld(kept: EventTable): Promise<Partition[]> {
    const found: Partition[] = [];
    for (const partition of await filledPartitions(this.run, kept)) {
      const newest = newestOf(partition.name);
      if (await this.isTrue(`${newest} < ${this.cutoff} + ${this.share(SOON_SHARE)}`)) found.push(partition);
    }
    return found;
  }

  /** Those that a partition has deliveries of. */
  private async eventsOf(deliveries: string): Promise<IdRange | null> {
    const [ends] = await this.ask<{ first: bigint | string | null; last: bigint | string | null }>(
      `SELECT min(event_id) AS first, max(event_id) AS last FROM ${deliveries}`,
    );
    if (!ends || ends.first === null || ends.last === null) return null;
    return { first: BigInt(ends.first), last: BigInt(ends.last) };
  }

  /** Drops partitions where all conditions hold when nobody else reads or writes their tables. */
  private async drop(parts: [EventTable, Partition][], conditions: string[]): Promise<boolean> {
    const tables = parts.map(([{ table }, { name }]) => `ONLY ${table}, ${name}`).join(', ');
    const dropIfSo = async (): Promise<boolean> => {
      await this.run(`SET LOCAL statement_timeout = ${LOOK_MS}`);
      const isSo = await this.isTrue(conditions.join(' AND '));
      if (isSo) await this.run(`DROP TABLE ${parts.map(([, { name }]) => name).join(', ')}`);
      // The files are removed by the COMMIT, when others have the locks back.
      await this.run('SET LOCAL statement_timeout = 0');
      return isSo;
    };
    try {
      return await briefly(this.run, tables, dropIfSo, 1);
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  private async isTrue(condition: string): Promise<boolean> {
    const [row] = await this.ask<{ holds: boolean | null }>(`SELECT ${condition} AS holds`);
    return row?.holds ?? false;
  }

  /** No row where another process has dropped the partition meanwhile. */
  private async ask<Row extends object>(text: string): Promise<Row[]> {
    try {
      return await this.run<Row>(text);
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  }
}

const newestOf = (partition: string): string => `(SELECT created_at FROM ${partition} ORDER BY id DESC LIMIT 1)`;

const haveNoDeliveries = ({ from, upTo }: Partition): string =>
  `NOT EXISTS (SELECT FROM ${DELIVERIES.table} WHERE event_id >= ${from ?? 0n} AND event_id < ${upTo})`;

/** What is left of ranges where others are taken out of them. */
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
