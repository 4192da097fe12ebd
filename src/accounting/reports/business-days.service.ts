import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { groupBy } from '../../core/groups.js';
import { pick } from '../../core/members.js';
import { formatBaht } from '../../core/money.js';
import { MinuteStatsRepository } from '../../monitoring/stats/minute-stats.repository.js';
import { BusinessDaysRepository, type FirstOrder, type SoldRow } from './business-days.repository.js';
import type { Day } from './daily-report.repository.js';
import { marginOf, marginPercent, totalOf, type MarginFigures } from './margin-report.service.js';

/** Today, yesterday, and the same weekday a week before. */
const DAYS_AGO = [0, 1, 7];
const CACHED_DAYS = 9;
/** One result serves all operators of a time zone for this long. */
const CACHE_MS = 15_000;
/** This long after the end of an hour, all its spend movements are written, on the replica too. */
const SETTLED_MS = 300_000;
/** One statement reads at most this many hours, so that none takes long. */
const MAX_HOURS = 6;
const BEST_PRODUCTS = 6;
/** Longer than any day, so that `readSteps` sums up a whole day in one step. */
const STEP_SECONDS = 100_000;

interface Sales {
  sales: string;
  /** Null for operators who may not see costs, as are the next two members. */
  margin: string | null;
  /** In percent of the sales with a known cost; null without such sales. */
  margin_percent: number | null;
  sales_without_cost: string | null;
}

interface BusinessDay extends Sales {
  from: Date;
  /** Exclusive. Earlier days end at the present time of the day. */
  until: Date;
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
  best_products: (Sales & { sku: string; name: string; units: number })[];
  /** Merchants with their first order today, the newest first. */
  new_merchants: Omit<FirstOrder, 'at'>[];
}

/** A day as it was read. */
interface ReadDay {
  start: Date;
  until: Date;
  /** The sales until the present time of the day. */
  sold: SoldRow[];
  hours: SoldRow[][];
  orders: Map<string, number>;
}

/** Compares today's business with that of earlier days. A unit counts as sold at the time of its order's spend movement. */
@Injectable()
export class BusinessDaysService {
  private readonly results = new Map<string, { at: number; business: Promise<Business> }>();
  /** The sales of hours that have ended, by the start of the hour. */
  private readonly cachedHours = new Map<number, SoldRow[]>();

  constructor(
    private readonly repository: BusinessDaysRepository,
    private readonly minutes: MinuteStatsRepository,
  ) {}

  /** Returns a result that was read at most 15 seconds ago. */
  async read(zone: string, { seesCosts }: { seesCosts: boolean }): Promise<Business> {
    const business = await this.recent(zone);
    return seesCosts ? business : withoutCosts(business);
  }

  private recent(zone: string): Promise<Business> {
    const known = this.results.get(zone);
    if (known && Date.now() - known.at < CACHE_MS) return known.business;
    const business = this.readBusiness(zone);
    this.results.set(zone, { at: Date.now(), business });
    business.catch(() => this.results.delete(zone));
    return business;
  }

  private async readBusiness(zone: string): Promise<Business> {
    const [today, yesterday, weekBefore] = (await this.repository.listDays(zone, DAYS_AGO)) as [Day, Day, Day];
    const elapsedMs = today.now.getTime() - today.start.getTime();
    const firstOrders = await this.repository.listFirstOrders(weekBefore.start);
    const read = async (day: Day): Promise<BusinessDay> =>
      toBusinessDay(await this.readDay(day, elapsedMs), firstOrders);
    // Reads one day after the other, so that most of the connections stay free for other pages.
    const soFar = await this.readDay(today, elapsedMs);
    const business = {
      today: toBusinessDay(soFar, firstOrders),
      yesterday: await read(yesterday),
      week_before: await read(weekBefore),
      best_products: await this.listBest(soFar.sold),
      new_merchants: firstOrders.filter(({ at }) => at >= today.start).map((merchant) => pick(merchant, 'id', 'name')),
    };
    this.forgetHoursBefore(today.now.getTime() - CACHED_DAYS * DAY_MS);
    return business;
  }

  /** The products with the highest sales. */
  private async listBest(sold: readonly SoldRow[]): Promise<Business['best_products']> {
    const best = [...groupBy(sold, ({ sku }) => sku)]
      .map(([sku, rows]) => ({ sku, total: totalOf(rows) }))
      .sort((one, other) => Number(other.total.revenue - one.total.revenue))
      .slice(0, BEST_PRODUCTS);
    const names = await this.repository.listNames(best.map(({ sku }) => sku));
    return best.map(({ sku, total }) => ({
      sku,
      name: names.get(sku) ?? sku,
      units: Number(total.units),
      ...toSales(total),
    }));
  }

  private async readDay({ start, stop, now }: Day, elapsedMs: number): Promise<ReadDay> {
    const until = new Date(Math.min(start.getTime() + elapsedMs, stop.getTime()));
    const end = stop < now ? stop : now;
    const [orders, sold] = await Promise.all([
      this.minutes.readSteps(['orders'], '', { since: start, until, stepSeconds: STEP_SECONDS }),
      this.readSold(start, until, now),
    ]);
    // The hours before `until` are cached by now, so this reads only the rest of an earlier day.
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

  /** Reads from the first hour that is not cached. Spend movements never change, so an hour is cached once it is settled. */
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
    return rows;
  }

  private forgetHoursBefore(moment: number): void {
    for (const hour of this.cachedHours.keys()) if (hour < moment) this.cachedHours.delete(hour);
  }
}

function toBusinessDay(day: ReadDay, firstOrders: readonly FirstOrder[]): BusinessDay {
  const { start, until, sold, hours, orders } = day;
  const [failed, completed] = [orders.get('failed') ?? 0, orders.get('completed') ?? 0];
  return {
    from: start,
    until,
    ...toSales(totalOf(sold)),
    orders: orders.get('placed') ?? 0,
    failed_share: failed + completed === 0 ? null : failed / (failed + completed),
    first_orders: firstOrders.filter(({ at }) => at >= start && at < until).length,
    hours: hours.map((rows) => formatBaht(totalOf(rows).revenue)),
  };
}

const toSales = (figures: MarginFigures): Sales => ({
  sales: formatBaht(figures.revenue),
  margin: formatBaht(marginOf(figures)),
  margin_percent: marginPercent(figures),
  sales_without_cost: formatBaht(figures.cost_unknown_revenue),
});

function withoutCosts({ today, yesterday, week_before, best_products, new_merchants }: Business): Business {
  const hide = <Item extends Sales>(item: Item): Item => ({ ...item, ...HIDDEN });
  return {
    today: hide(today),
    yesterday: hide(yesterday),
    week_before: hide(week_before),
    best_products: best_products.map(hide),
    new_merchants,
  };
}

const HIDDEN = { margin: null, margin_percent: null, sales_without_cost: null };
