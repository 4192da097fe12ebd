import { describe, expect, it } from '@jest/globals';
import { parseHosts, resolveHost } from './resolve.js';

describe('hosts file', () => {
  it('gives every address of a name, whatever its case and place', () => {
    const hosts = parseHosts(
      '# a comment\n127.0.0.1\tlocalhost\n::1 localhost ip6-localhost\n\n  10.0.0.7   Shop.Example shop # a shop\n10.0.0.8 shop',
    );
    expect(Object.fromEntries(hosts)).toEqual({
      localhost: ['127.0.0.1', '::1'],
      'ip6-localhost': ['::1'],
      'shop.example': ['10.0.0.7'],
      shop: ['10.0.0.7', '10.0.0.8'],
    });
  });
});

describe('resolving', () => {
  it('knows this machine by the hosts file, with a trailing dot or capitals too', async () => {
    const { signal } = new AbortController();
    expect(await resolveHost('localhost', signal)).toContain('127.0.0.1');
    expect(await resolveHost('LocalHost.', signal)).toContain('127.0.0.1');
  });

  it('rejects for a name that nobody has (RFC 6761), and once its time is over', async () => {
    await expect(resolveHost('nobody.invalid', new AbortController().signal)).rejects.toThrow();
    await expect(resolveHost('nobody.invalid', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
