import { describe, expect, it } from '@jest/globals';
import { parseHosts, resolveHost } from './resolve.js';

describe('hosts file', () => {
  it('has every address of a name, in any case and on any line', () => {
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
  it('finds this machine in the hosts file, also with a trailing dot or capitals', async () => {
    const { signal } = new AbortController();
    expect(await resolveHost('localhost', signal)).toContain('127.0.0.1');
    expect(await resolveHost('LocalHost.', signal)).toContain('127.0.0.1');
  });

  it('rejects for a name that cannot exist (RFC 6761), and after its timeout', async () => {
    await expect(resolveHost('nobody.invalid', new AbortController().signal)).rejects.toThrow();
    await expect(resolveHost('nobody.invalid', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
