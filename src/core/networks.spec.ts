import { describe, expect, it } from '@jest/globals';
import { parseNetwork } from './networks.js';

describe('a network', () => {
  it.each([
    '1.2.3',
    '1.2.3/24',
    '10/8',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '010.0.0.1',
    '10.0.0.0/8/9',
    '10.0.0.0/',
    '',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
  ])('refuses %j, which is ambiguous', (text) => expect(parseNetwork(text)).toBeUndefined());

  it.each([
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::ffff:10.0.0.0/104', '::ffff:a00:0/104'],
  ])('reads %s as the network %s', (text, network) => {
    const [address, bits] = parseNetwork(text) ?? [];
    expect(`${address?.toString()}/${bits}`).toBe(network);
  });
});
