import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { formatBaht } from '../../core/money.js';
import { MinuteStatsRepository } from '../../monitoring/stats/minute-stats.repository.js';
import { BusinessDaysRepository, type FirstOrder, type SoldRow } from './business-days.repository.js';
import type { Day } from './daily-report.repository.js';
import { marginOf, marginPercent, totalOf, type MarginFigures } from './margin-report.service.js';

/** Today, yesterday, and the same weekday a week before. */
const DAYS_AGO = [0, 1, 7];
const CACHED_DAYS = 9;
/** One result serves all operators for this long. */
const CACHE_MS = 15_000;
/** This long after the end of an hour, all its spend movements are written, on the replica too. */
const SETTLED_MS = 300_000;
/** One statement reads at most this many hours, so that none takes long. */
const MAX_HOURS = 6;
const BEST_PRODUCTS = 6;
/** No day is longer, so a day has one step. */
const STEP_SECONDS = 100_000;

interface Margin {
  /** Null for operators who may not see costs. */
  margin: string | null;
  /** In percent of the sales with a known cost; null without such sales. */
  margin_percent: number | null;
  sales_without_cost: string | null;
}

interface BusinessDay extends Margin {
  from: Date;
  /** Exclusive. Earlier days end at the present time of the day. */
  until: Date;
  sales: string;
  orders: number;
  failed_share: number | null;
  first_orders: number;
  /** The sales of each hour. The hours of an earlier day go up to the end of that day. */
  hours: string[];
}

export interface Business {
  today: BusinessDay;
  yesterday: BusinessDay;
  week_before: BusinessDay;
  best_products: (Margin & { sku: string; name: string; units: number; sales: string })[];
  /** Merchants with their first order today, the newest first. */
  new_merchants: Omit<FirstOrder, 'at'>[];
}

interface ReadDay {
  start: Date;
  until: Date;
  hours: SoldRow[][];
  /** What was sold until the present time of the day. */
  sold: SoldRow[];
  orders: Map<string, number>;
}

interface ReadDays {
  days: ReadDay[];
  firstOrders: FirstOrder[];
  names: Map<string, string>;
}

/** The business of today against earlier days: units that merchants paid for, by the time of the spend movement. */
@Injectable()
export class BusinessDaysService {
  private readonly results = new Map<string, { at: number; days: Promise<ReadDays> }>();
  /** What was sold in hours that have ended, by the start of the hour. */
  private readonly cachedHours = new Map<number, SoldRow[]>();

  constructor(
    private readonly repository: BusinessDaysRepository,
    private readonly minutes: MinuteStatsRepository,
  ) {}

  /** Returns figures that are at most 15 seconds old. */
  async read(zone: string, { seesCosts }: { seesCosts: boolean }): Promise<Business> {
    const { days, firstOrders, names } = await this.recent(zone);
    const [today, yesterday, weekBefore] = days as [ReadDay, ReadDay, ReadDay];
    const show = (day: ReadDay): BusinessDay => toBusinessDay(day, firstOrders, seesCosts);
    return {
      today: show(today),
      yesterday: show(yesterday),
      week_before: show(weekBefore),
      best_products: bestOf(today.sold).map(({ sku, figures }) => ({
        sku,
        name: names.get(sku) ?? sku,
        units: Number(figures.units),
        sales: formatBaht(figures.revenue),
        ...toMargin(figures, seesCosts),
      })),
      new_merchants: firstOrders.filter(({ at }) => at >= today.start).map(({ id, name }) => ({ id, name })),
    };
  }

  private recent(zone: string): Promise<ReadDays> {
    const known = this.results.get(zone);
    if (known && Date.now() - known.at < CACHE_MS) return known.days;
    const days = this.readDays(zone);
    this.results.set(zone, { at: Date.now(), days });
    days.catch(() => this.results.delete(zone));
    return days;
  }

  private async readDays(zone: string): Promise<ReadDays> {
    const periods = await this.repository.listDays(zone, DAYS_AGO);
    const since = new Date(Math.min(...periods.map(({ start }) => start.getTime())));
    // Reads one day after the other, so that most of the connections stay free for other pages.
    const days: ReadDay[] = [];
    for (const period of periods) days.push(await this.readDay(period, elapsedOf(periods)));
    const firstOrders = await this.repository.listFirstOrders(since);
    const best = bestOf(days[0]?.sold ?? []).map(({ sku }) => sku);
    return { days, firstOrders, names: await this.repository.listNames(best) };
  }

  private async readDay({ start, stop, now }: Day, elapsedMs: number): Promise<ReadDay> {
    const until = new Date(Math.min(start.getTime() + elapsedMs, stop.getTime()));
    const end = stop < now ? stop : now;
    const [orders, sold] = await Promise.all([
      this.minutes.readSteps(['orders'], '', { since: start, until, stepSeconds: STEP_SECONDS }),
      this.readSold(start, until, now),
    ]);
    // The hours before `until` are known by now, so only the rest of an earlier day is read.
    const all = end > until ? await this.readSold(start, end, now) : sold;
    const count = Math.ceil((end.getTime() - start.getTime()) / HOUR_MS);
    const hourOf = ({ at }: SoldRow): number => (at.getTime() - start.getTime()) / HOUR_MS;
    return {
      start,
      until,
      sold,
      hours: Array.from({ length: count }, (_, hour) => all.filter((row) => hourOf(row) === hour)),
      orders: new Map(orders.map(({ label, value }) => [label, Number(value)])),
    };
  }

  /** Reads only hours that are not cached. Spend movements never change, so an hour is cached once it is settled. */
  private async readSold(start: Date, until: Date, now: Date): Promise<SoldRow[]> {
    const rows: SoldRow[] = [];
    let at = start.getTime();
    for (; at + HOUR_MS <= until.getTime() && this.cachedHours.has(at); at += HOUR_MS)
      rows.push(...(this.cachedHours.get(at) ?? []));
    while (at < until.getTime()) {
      const stop = Math.min(at + MAX_HOURS * HOUR_MS, until.getTime());
      const read = await this.repository.listSold(new Date(at), new Date(stop));
      for (let hour = at; hour + HOUR_MS <= Math.min(stop, now.getTime() - SETTLED_MS); hour += HOUR_MS) {
        const isOfHour = (row: SoldRow): boolean => row.at.getTime() === hour;
        this.cachedHours.set(hour, read.filter(isOfHour));
      }
      rows.push(...read);
      at = stop;
    }
    for (const hour of this.cachedHours.keys())
      if (hour < now.getTime() - CACHED_DAYS * DAY_MS) this.cachedHours.delete(hour);
    return rows;
  }
}

/** How long today has lasted. */
const elapsedOf = ([today]: Day[]): number => (today ? today.now.getTime() - today.start.getTime() : 0);

function toBusinessDay(day: ReadDay, firstOrders: readonly FirstOrder[], seesCosts: boolean): BusinessDay {
  const { start, until, sold, hours, orders } = day;
  const total = totalOf(sold);
  const [failed, completed] = [orders.get('failed') ?? 0, orders.get('completed') ?? 0];
  return {
    from: start,
    until,
    sales: formatBaht(total.revenue),
    ...toMargin(total, seesCosts),
    orders: orders.get('placed') ?? 0,
    failed_share: failed + completed === 0 ? null : failed / (failed + completed),
    first_orders: firstOrders.filter(({ at }) => at >= start && at < until).length,
    hours: hours.map((rows) => formatBaht(totalOf(rows).revenue)),
  };
}

function toMargin(figures: MarginFigures, seesCosts: boolean): Margin {
  if (!seesCosts) return { margin: null, margin_percent: null, sales_without_cost: null };
  return {
    margin: formatBaht(marginOf(figures)),
    margin_percent: marginPercent(figures),
    sales_without_cost: formatBaht(figures.cost_unknown_revenue),
  };
}

/** The products with the highest sales. */
function bestOf(sold: readonly SoldRow[]): { sku: string; figures: MarginFigures }[] {
  const bySku = new Map<string, SoldRow[]>();
  for (const row of sold) bySku.set(row.sku, [...(bySku.get(row.sku) ?? []), row]);
  return [...bySku]
    .map(([sku, rows]) => ({ sku, figures: totalOf(rows) }))
    .sort((one, other) => Number(other.figures.revenue - one.figures.revenue))
    .slice(0, BEST_PRODUCTS);
}
