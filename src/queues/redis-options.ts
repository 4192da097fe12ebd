import type { RedisOptions } from 'ioredis';
import type { Config } from '../core/config.js';

/**
 * How Redis is reached, as REDIS_URL says. Bull's own reading of a URL knows no scheme: it would speak in clear, password
 * included, where `rediss://` asks for TLS.
 */
export function redisOptions({ REDIS_URL, redisAuthority }: Config): RedisOptions {
  const url = new URL(REDIS_URL);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 6379),
    db: Number(url.pathname.slice(1) || 0),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === 'rediss:' ? { tls: redisAuthority === null ? {} : { ca: redisAuthority } } : {}),
    connectTimeout: 3_000,
    keepAlive: 5_000,
    // A primary that was demoted keeps its connections: only a new one finds its successor by the name.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  };
}
