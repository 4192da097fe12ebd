import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseNetwork, type Network } from '../networks.js';
import { AddressPolicy, isLocalName, literalAddress } from './address-policy.js';

const networks = (...texts: string[]): Network[] =>
  texts.map((text) => parseNetwork(text)).filter((network) => network !== undefined);

/** The hostname of a connection, after the URL parser. */
const hostnameOf = (host: string): string => new URL(`http://${host}/`).hostname;

/** The policy's verdict on the address in a URL's host; `'a name'` if the host is no address. */
function permits(policy: AddressPolicy, host: string): boolean | 'a name' {
  const literal = literalAddress(hostnameOf(host));
  return literal === null ? 'a name' : policy.permits(literal);
}

const FORBIDDEN: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '0', '0x0', '[::]', '[0:0:0:0:0:0:0:0]'],
  loopback: ['127.0.0.1', '127.255.255.254', '[::1]', '[0:0::1]', '[0000:0000:0000:0000:0000:0000:0000:0001]'],
  'loopback in other spellings': [
    '2130706433',
    '0x7f000001',
    '0X7F000001',
    '017700000001',
    '0x7f.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0177.0.0.01',
    '127.1',
    '127.0.1',
    '127.0x1',
    '127.000.000.001',
    '127.0.0.1.',
    '00000177.1',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '127．0．0．1',
    '127｡0｡0｡1',
    '%31%32%37.0.0.1',
    '0x7f.0x0.0x0.0x1',
    '127.0.0.0x1',
  ],
  'private IPv4': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '0xa000001', '167772161', '0xc0a80101'],
  'link-local, metadata': ['169.254.169.254', '169.254.0.1', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376'],
  'metadata elsewhere': ['168.63.129.16', '100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[fd20:ce::254]'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'special IPv4': [
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
  ],
  'multicast, reserved, broadcast': ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '4294967295'],
  'mapped IPv4': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:10.0.0.1]',
    '[::ffff:8.8.8.8]',
  ],
  'compatible and translated IPv4': ['[::127.0.0.1]', '[::7f00:1]', '[::8.8.8.8]', '[::ffff:0:127.0.0.1]', '[::2]'],
  NAT64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::7f00:1]'],
  '6to4 and Teredo': ['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2002:808:808::]', '[2001:0:7f00:1::80ff:fffe]'],
  'local IPv6': ['[fe80::1]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[fdff::1]'],
  'multicast IPv6': ['[ff02::1]', '[ff0e::1]'],
  'special IPv6': [
    '[100::1]',
    '[100:0:0:1::1]',
    '[2001:db8::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[2001:1::1]',
    '[2620:4f:8000::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[4000::1]',
    '[e000::1]',
  ],
};

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '134744072',
  '0x08080808',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '168.63.129.15',
  '100.63.255.255',
  '100.128.0.1',
  '223.255.255.255',
  '[2606:4700:4700::1111]',
  '[2a00:1450::1]',
];

describe('address policy', () => {
  const policy = new AddressPolicy();

  for (const [kind, hosts] of Object.entries(FORBIDDEN)) {
    it.each(hosts)(`refuses ${kind}: %s`, (host) => {
      expect(permits(policy, host)).toBe(false);
    });
  }

  it.each(PUBLIC)('permits %s', (host) => {
    expect(permits(policy, host)).toBe(true);
  });

  it.each(['', 'example.com', '1.2.3', '::1%eth0', '127.0.0.1 ', '[::1]', '999.1.1.1'])(
    'refuses %j, which is no address',
    (text) => {
      expect(policy.permits(text)).toBe(false);
    },
  );

  it('refuses every address of a private network, in every notation that the URL parser accepts', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const spellings = [
      (parts: number[]) => parts.join('.'),
      (parts: number[]) => parts.map((part) => `0x${part.toString(16)}`).join('.'),
      (parts: number[]) => parts.map((part) => `0${part.toString(8)}`).join('.'),
      (parts: number[]) => String(parts.reduce((whole, part) => whole * 256 + part, 0)),
      (parts: number[]) => `0x${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`,
      (parts: number[]) => `[::ffff:${parts.join('.')}]`,
      (parts: number[]) => `[64:ff9b::${parts.join('.')}]`,
    ];
    const starts = [[10], [127], [172, 16], [192, 168], [169, 254], [100, 64]];
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.tuple(octet, octet, octet),
        fc.constantFrom(...spellings),
        (start, rest, spell) => {
          const host = spell([...start, ...rest].slice(0, 4));
          expect(permits(policy, host)).toBe(false);
        },
      ),
    );
  });
});

describe('address policy with allowed networks', () => {
  it('permits the addresses in them, and no other special ones', () => {
    const policy = new AddressPolicy(networks('127.0.0.0/8', '::1/128', '10.1.0.0/16'));
    for (const host of ['127.0.0.1', '2130706433', '127.9.9.9', '[::1]', '10.1.2.3', '8.8.8.8']) {
      expect([host, permits(policy, host)]).toEqual([host, true]);
    }
    for (const host of ['10.2.0.1', '192.168.0.1', '[::2]', '[fe80::1]', '0.0.0.0']) {
      expect([host, permits(policy, host)]).toEqual([host, false]);
    }
  });

  it('checks an IPv6 address with an embedded IPv4 address as both', () => {
    const nat64 = new AddressPolicy(networks('64:ff9b::/96'));
    expect(permits(nat64, '[64:ff9b::8.8.8.8]')).toBe(true);
    expect(permits(nat64, '[64:ff9b::127.0.0.1]')).toBe(false);
    expect(permits(nat64, '[64:ff9b::10.0.0.1]')).toBe(false);
    const loopback = new AddressPolicy(networks('127.0.0.0/8'));
    expect(permits(loopback, '[64:ff9b::127.0.0.1]')).toBe(false);
    expect(permits(loopback, '[::ffff:127.0.0.1]')).toBe(false);
    const tunnels = new AddressPolicy(networks('2002::/16', '2001::/32', '::ffff:0:0/96'));
    expect(permits(tunnels, '[2002:808:808::1]')).toBe(true);
    expect(permits(tunnels, '[2002:a00:1::1]')).toBe(false);
    expect(permits(tunnels, '[2001:0:808:808:0:0:f7f7:f7f7]')).toBe(true);
    expect(permits(tunnels, '[2001:0:808:808:0:0:80ff:fffe]')).toBe(false);
    expect(permits(tunnels, '[::ffff:8.8.8.8]')).toBe(true);
    expect(permits(tunnels, '[::ffff:192.168.0.1]')).toBe(false);
  });
});

describe('local names', () => {
  it.each([
    'localhost',
    'localhost.',
    'LOCALHOST',
    'LocalHost.',
    'a.localhost',
    'a.b.localhost.',
    'printer.local',
    'printer.LOCAL.',
    'metadata.google.internal',
    'x.internal.',
    'host.docker.internal',
    'ⓛocalhost',
    'ｌｏｃａｌｈｏｓｔ',
    'loc%61lhost',
    'lo\u00adcalhost',
  ])('refuses %s', (host) => {
    expect(isLocalName(hostnameOf(host))).toBe(true);
  });

  it.each(['example.com', 'localhost.example.com', 'notlocalhost', 'mylocal', 'internal.example', 'local.example'])(
    'lets %s pass',
    (host) => {
      expect(isLocalName(hostnameOf(host))).toBe(false);
    },
  );
});
