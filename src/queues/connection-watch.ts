import type { Queue } from 'bull';
import { Cluster, type Redis } from 'ioredis';
import type { Logger } from '../core/logger.js';
import { openConnections, type Connection } from './bull-connections.js';

const CHECK_EVERY_MS = 3_000;
/** Bull's blocking read returns every 5 s, even without a job. */
const SILENT_AFTER_MS = 9_000;

/**
 * Replaces silent connections to Redis. If the server vanished without closing a connection, as in a failover, a worker
 * would get no wake-ups until TCP gives the connection up, which can take many minutes.
 */
export class ConnectionWatch {
  private readonly traffic = new WeakMap<Connection, { bytes: number; atMs: number }>();
  private readonly timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref();

  constructor(
    private readonly queues: Queue[],
    private readonly logger: Logger,
  ) {}

  close(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    for (const queue of this.queues) {
      const { client, blocking } = openConnections(queue);
      // `RedisHealthService` writes to `client` every second. Bull's reads on `blocking` return by themselves.
      if (client) this.checkTraffic(queue.name, client);
      if (blocking) this.checkTraffic(queue.name, blocking);
    }
  }

  private checkTraffic(name: string, redis: Connection): void {
    const bytes = redis.status === 'ready' ? bytesRead(redis) : -1;
    const last = this.traffic.get(redis);
    const now = performance.now();
    if (last?.bytes !== bytes || bytes < 0) return void this.traffic.set(redis, { bytes, atMs: now });
    if (now - last.atMs < SILENT_AFTER_MS) return;
    this.logger.warn({ queue: name }, 'a connection to Redis does not respond: replacing it');
    this.traffic.delete(redis);
    redis.disconnect(true);
  }
}

/** The bytes read so far. For a cluster, the sum over all its connections. A connection that is not open has no stream. */
const bytesRead = (redis: Connection): number =>
  (redis instanceof Cluster ? redis.nodes() : [redis])
    .map(({ stream }) => (stream as Redis['stream'] | undefined)?.bytesRead ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);
