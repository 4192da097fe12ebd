import { Cluster, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { QueueOptions } from 'bull';
import type { Config } from '../core/config.js';
import { readRedisUrl, type RedisAddress } from '../core/redis-url.js';

/**
 * How queues reach Redis, as REDIS_URL says. Bull's own reading of a URL knows no scheme: it would speak in clear, password
 * included, where `rediss://` asks for TLS.
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
    // As Bull asks for: its blocking reads wait for as long as it takes.
    redisOptions: { ...options, enableReadyCheck: false, maxRetriesPerRequest: null },
    // A certificate names hosts, not the addresses that they have.
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
    // A primary that was demoted keeps its connections: only a new one finds its successor by the name.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: retryDelayMs,
  };
}
