import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import { withDeadline } from '../core/durations.js';
import { FULFILMENT_QUEUE } from '../queues/queues.js';
import { RedisHealthService } from '../queues/redis-health.service.js';
import { RateBuckets, type Report } from './rate-buckets.js';
import { FILL_SHARED_BUCKETS } from './shared-buckets.lua.js';

const EXCHANGE_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 500;
/** Redis does nothing else while it runs the script: this many keys take at most two milliseconds. */
const KEYS_PER_CALL = 500;

/**
 * Lets all API processes count requests together through Redis. No request waits for it: ten times a second, each process
 * reports its admitted hits and reads the shared levels. Without Redis, each process applies the limit to its own requests:
 * it then refuses no request wrongly, and still protects itself.
 */
@Injectable()
export class SharedBucketsService implements OnApplicationShutdown {
  private readonly limits: { name: string; buckets: RateBuckets }[] = [];
  private readonly timer = setInterval(() => void this.exchange(), EXCHANGE_EVERY_MS).unref();
  private isExchanging = false;
  /** Redis' time minus our clock, or slightly less. */
  private toRedisMs: number | undefined;

  constructor(
    @InjectQueue(FULFILMENT_QUEUE) private readonly queue: Queue,
    private readonly health: RedisHealthService,
  ) {}

  /** @param name the limit's name, the same in all processes. @param limit hits a second, for each key. */
  open(name: string, limit: number): RateBuckets {
    const buckets = new RateBuckets(limit);
    // Levels are comparable under one limit only. While a new limit is rolled out, the old and the new one count separately.
    this.limits.push({ name: `${name.replaceAll(' ', '-')}:${limit}`, buckets });
    return buckets;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async exchange(): Promise<void> {
    if (this.isExchanging) return;
    this.isExchanging = true;
    const reports = this.limits.flatMap(({ name, buckets }) =>
      buckets.takeReports().map((report) => ({ name, buckets, report })),
    );
    try {
      // Hits that could not be reported are dropped: a report has only the time of its first hit, so later hits of the same report
      // would count as older than they are.
      for (let at = 0; at < reports.length && this.health.isUp; at += KEYS_PER_CALL)
        await this.report(reports.slice(at, at + KEYS_PER_CALL));
    } catch {
      this.toRedisMs = undefined;
      this.health.check(this.queue);
    } finally {
      this.isExchanging = false;
    }
  }

  private async report(reported: { name: string; buckets: RateBuckets; report: Report }[]): Promise<void> {
    const keys = reported.map(({ name, report }) => this.queue.toKey(`rate:${name}:${report.key}`));
    const values = reported.flatMap(({ buckets, report: { hits, sinceMs } }) => [
      buckets.limit,
      hits,
      this.toRedisMs === undefined ? 0 : Math.floor(sinceMs + this.toRedisMs),
    ]);
    const sentMs = performance.now();
    const answer = this.queue.client.eval(FILL_SHARED_BUCKETS, keys.length, ...keys, ...values);
    const [time, ...levels] = (await withDeadline(answer, ANSWER_WITHIN_MS)) as string[];
    this.toRedisMs = Number(time) - performance.now();
    // Redis read the level after this process sent the request, so the level is at least as recent as `sentMs`.
    reported.forEach(({ buckets, report }, n) => buckets.learn(report.key, Number(levels[n]), sentMs));
  }
}
