import { describe, expect, it } from '@jest/globals';
import { readRedisUrl } from './redis-url.js';

describe('REDIS_URL', () => {
  it('names one server', () => {
    expect(readRedisUrl('rediss://ann:p%40ss:word@[::1]:7000/2')).toEqual({
      kind: 'server',
      nodes: [{ host: '::1', port: 7000 }],
      name: '',
      database: 2,
      username: 'ann',
      password: 'p@ss:word',
      sentinelPassword: null,
      isTls: true,
    });
    expect(readRedisUrl('redis://redis')).toMatchObject({
      nodes: [{ host: 'redis', port: 6379 }],
      username: null,
      password: null,
      isTls: false,
    });
  });

  it('names sentinels, and the master that they watch', () => {
    const url = 'redis+sentinel://:secret@one:26379,two/mymaster/3?sentinel_password=other';
    expect(readRedisUrl(url)).toMatchObject({
      kind: 'sentinel',
      name: 'mymaster',
      database: 3,
      password: 'secret',
      sentinelPassword: 'other',
      nodes: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 26_379 },
      ],
    });
  });

  it('names members of a cluster', () => {
    expect(readRedisUrl('rediss+cluster://:secret@one:6379,two:6380')).toMatchObject({
      kind: 'cluster',
      password: 'secret',
      isTls: true,
      nodes: [
        { host: 'one', port: 6379 },
        { host: 'two', port: 6380 },
      ],
    });
  });

  it.each([
    ['redis+sentinel://secret@one:26379', 'must name what the sentinels watch'],
    ['redis+cluster://:secret@one:6379/1', 'names a database'],
    ['redis://:secret@one:6379,two:6379', 'names several hosts'],
    ['redis://:secret@one:99999', 'has a host'],
    ['redis://:secret@one:6379/first', 'must end with the number of a database'],
    ['redis://:secret%@one', "can't be read"],
    ['redis://:top secret#@one', "can't be read"],
    ['http://:secret@one', "can't be read"],
  ])('%s is refused with a message, without its password', (url, words) => {
    expect(() => readRedisUrl(url)).toThrow(words);
    expect(() => readRedisUrl(url)).not.toThrow('secret');
  });
});
