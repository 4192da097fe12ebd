import ipaddr from 'ipaddr.js';
import type { Network } from '../networks.js';

/** Azure's wire server: the one metadata address that lies in public space. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** IANA's range of global unicast addresses. Every other address is special, or may become special. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv6 prefixes whose addresses lead to an IPv4 address in them. It begins at the 16-bit part with the index `at`. */
const CARRIERS: { network: Network; at: number; inverted?: boolean }[] = [
  { network: ipaddr.parseCIDR('::ffff:0:0/96'), at: 6 }, // mapped, RFC 4291
  { network: ipaddr.parseCIDR('::/96'), at: 6 }, // compatible, RFC 4291
  { network: ipaddr.parseCIDR('::ffff:0:0:0/96'), at: 6 }, // translated, RFC 2765
  { network: ipaddr.parseCIDR('64:ff9b::/96'), at: 6 }, // NAT64, RFC 6052
  { network: ipaddr.parseCIDR('64:ff9b:1::/48'), at: 6 }, // local NAT64, RFC 8215
  { network: ipaddr.parseCIDR('2002::/16'), at: 1 }, // 6to4, RFC 3056
  { network: ipaddr.parseCIDR('2001::/32'), at: 6, inverted: true }, // Teredo, RFC 4380
];

/**
 * Decides which addresses a connection may reach: public unicast addresses, and addresses in networks that the operator allowed.
 * If an IPv6 address carries an IPv4 address, each of the two must be public or lie in an allowed network (contract, section 4).
 */
export class AddressPolicy {
  /** @param allowed networks whose addresses need not be public. */
  constructor(private readonly allowed: readonly Network[] = []) {}

  /** @param text an address in its usual notation; other text is refused. */
  permits(text: string): boolean {
    if (!isAddress(text)) return false;
    const address = ipaddr.parse(text);
    return [address, ...carriedBy(address)].every((each) => this.isAllowed(each) || isPublicUnicast(each));
  }

  private isAllowed(address: Address): boolean {
    return this.allowed.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  }
}

function isPublicUnicast(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_UNICAST_V6) : address.toString() !== AZURE_WIRE_SERVER;
}

function carriedBy(address: Address): ipaddr.IPv4[] {
  // `::` and `::1` lie in the compatible range, but carry no IPv4 address.
  if (address instanceof ipaddr.IPv4 || ['unspecified', 'loopback'].includes(address.range())) return [];
  return CARRIERS.filter(({ network: [base, bits] }) => address.match(base, bits)).map(({ at, inverted }) => {
    const parts = address.parts.slice(at, at + 2).map((part) => (inverted ? part ^ 0xffff : part));
    return new ipaddr.IPv4(parts.flatMap((part) => [part >> 8, part & 0xff]));
  });
}

/**
 * Whether a host name by convention means this machine or its network, even if it resolves to another address: `localhost`,
 * `*.localhost`, `*.local`, `*.internal`, with or without a trailing dot (contract, section 4).
 */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return name === 'localhost' || /\.(localhost|local|internal)$/.test(name);
}

/**
 * The address in a URL's hostname; null for a name. The URL parser has already brought every spelling (decimal, octal,
 * hexadecimal, short, full-width digits) into the usual notation (WHATWG URL, host parsing).
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isAddress(bare) ? bare : null;
}

const isAddress = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
