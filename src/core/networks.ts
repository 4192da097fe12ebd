import ipaddr from 'ipaddr.js';

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Reads a network in CIDR notation or a single address; undefined for other text. An IPv4 address must have four decimal parts,
 * because people misread the short, octal and hexadecimal forms. A zone (`%eth0`) is refused.
 */
export function parseNetwork(text: string): Network | undefined {
  if (text.includes('%')) return undefined;
  const [address = ''] = text.split('/', 1);
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (address !== text) return undefined;
  const single = ipaddr.parse(address);
  return [single, single.kind() === 'ipv4' ? 32 : 128];
}

/** The parts of a comma-separated list. */
export const splitList = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The proxies whose X-Forwarded-For is trusted: their addresses and networks, or the number of proxies in the chain. */
export type TrustedProxies = number | readonly string[];

/** Reads an environment variable that lists trusted proxies. @param name its name, for `problems`. */
export function readTrustedProxies(name: string, text: string, problems: string[]): TrustedProxies {
  if (/^[1-9]$/.test(text)) return Number(text);
  const list = splitList(text);
  for (const part of list)
    if (!parseNetwork(part))
      problems.push(
        `${name} has an entry that is no network or address: ${part} (or give only the number of proxies, 1 to 9)`,
      );
  return list;
}
