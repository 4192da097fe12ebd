import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import { withDeadline } from '../core/deadline.js';
import { FULFILMENT_QUEUE } from '../queues/queues.js';
import { RedisHealthService } from '../queues/redis-health.service.js';
import { RateBuckets, type Report } from './rate-buckets.js';
import { FILL_SHARED_BUCKETS } from './shared-buckets.lua.js';

const EXCHANGE_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 500;
/** Redis does nothing else while it fills buckets: so many take it less than a millisecond or two. */
const KEYS_PER_CALL = 500;

/**
 * Lets all API processes count requests together, through Redis and behind the requests' backs: ten times a second each
 * process tells what it has admitted and learns how full the buckets of all are. Without Redis each process counts what
 * comes to it, by the same limit: then it refuses nobody wrongly, and still protects itself.
 */
@Injectable()
export class SharedBucketsService implements OnApplicationShutdown {
  private readonly limits: { name: string; buckets: RateBuckets }[] = [];
  private readonly timer = setInterval(() => void this.exchange(), EXCHANGE_EVERY_MS).unref();
  private isExchanging = false;
  /** What to add to our clock for Redis' time, or a little less. */
  private toRedisMs: number | undefined;

  constructor(
    @InjectQueue(FULFILMENT_QUEUE) private readonly queue: Queue,
    private readonly health: RedisHealthService,
  ) {}

  /** @param name of what is limited, the same in all processes. @param limit a second and key. */
  open(name: string, limit: number): RateBuckets {
    const buckets = new RateBuckets(limit);
    // While a new limit is rolled out, each of the two counts by itself: a level is full by one of them only.
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
      // What is not told is forgotten: the merchant had it, and Redis would not know when.
      for (let at = 0; at < reports.length && this.health.isUp; at += KEYS_PER_CALL)
        await this.tell(reports.slice(at, at + KEYS_PER_CALL));
    } catch {
      this.toRedisMs = undefined;
      this.health.doubt(this.queue);
    } finally {
      this.isExchanging = false;
    }
  }

  private async tell(reported: { name: string; buckets: RateBuckets; report: Report }[]): Promise<void> {
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
    // Redis counted after it was sent: by our clock the level is no younger than that.
    reported.forEach(({ buckets, report }, n) => buckets.learn(report.key, Number(levels[n]), sentMs));
  }
}
