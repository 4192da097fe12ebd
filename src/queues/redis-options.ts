import { Cluster, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { QueueOptions } from 'bull';
import type { Config } from '../core/config.js';
import { readRedisUrl, type RedisAddress } from '../core/redis-url.js';

/**
 * The options for the connections of queues to REDIS_URL. Bull does not get the URL, because it ignores the scheme: for
 * `rediss://`, it would send everything, even the password, without TLS.
 */
export function redisConnections(config: Config): Pick<QueueOptions, 'redis' | 'createClient'> {
  const address = readRedisUrl(config.REDIS_URL);
  const options = optionsOf(address, config);
  switch (address.kind) {
    case 'server':
      return { redis: { ...options, ...address.nodes[0] } };
    case 'sentinel':
      return { redis: { ...options, ...sentinelOptions(address, options) } };
    case 'cluster':
      return { createClient: () => new Cluster(address.nodes, clusterOptions(address, options)) };
  }
}

function sentinelOptions({ nodes, name, sentinelPassword, isTls }: RedisAddress, { tls }: RedisOptions): object {
  return {
    sentinels: nodes,
    name,
    sentinelRetryStrategy: retryDelayMs,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(isTls ? { enableTLSForSentinelMode: true, sentinelTLS: tls } : {}),
  };
}

function clusterOptions({ isTls }: RedisAddress, options: RedisOptions): ClusterOptions {
  return {
    clusterRetryStrategy: retryDelayMs,
    // Bull requires these two options of its connections for blocking reads and events.
    redisOptions: { ...options, enableReadyCheck: false, maxRetriesPerRequest: null },
    // Connects by host name, because certificates contain the names of hosts, and not their addresses.
    ...(isTls ? { dnsLookup: (host, found) => found(null, host) } : {}),
  };
}

const retryDelayMs = (attempt: number): number => Math.min(attempt * 100, 1_000);

function optionsOf({ username, password, database, isTls }: RedisAddress, { redisAuthority }: Config): RedisOptions {
  return {
    db: database,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(isTls ? { tls: redisAuthority === null ? {} : { ca: redisAuthority } } : {}),
    connectTimeout: 3_000,
    keepAlive: 5_000,
    // A demoted primary keeps its connections open, and refuses writes on them. Only a new connection reaches the new primary.
    reconnectOnError: oncePerTurn(({ message }) => message.startsWith('READONLY')),
    retryStrategy: retryDelayMs,
  };
}

/** Returns true at most once in a turn of the event loop: with each `true`, ioredis adds a listener to the ended connection. */
function oncePerTurn(ends: (error: Error) => boolean): (error: Error) => boolean {
  let hasEnded = false;
  return (error) => {
    if (hasEnded || !ends(error)) return false;
    hasEnded = true;
    setImmediate(() => (hasEnded = false));
    return true;
  };
}
