import express, { type Express } from 'express';
import type { Logger } from '../logger.js';
import { parseNetwork, type TrustedProxies } from '../networks.js';

type Trust = (address: string, hop: number) => boolean;

/**
 * Makes an application read the caller's address from X-Forwarded-For, as far as it trusts the proxies. Callers inside
 * a trusted network can forge their address. So the application logs a warning, once, when the header has an address of
 * such a network that is not listed by itself.
 * @param name the name of the environment variable, for the warning.
 */
export function trustProxies(app: Express, name: string, trusted: TrustedProxies, logger: Logger): Express {
  if (typeof trusted === 'number') return app.set('trust proxy', trusted);
  const isTrusted = trustIn(trusted);
  const isProxyItself = trustIn(trusted.filter((each) => !isWide(each)));
  let hasWarned = false;
  // Express calls this for the connecting address, and then for the addresses in the header, from last to first.
  const trust: Trust = (address, hop) => {
    if (!isTrusted(address, hop)) return false;
    if (hop > 0 && !hasWarned && !isProxyItself(address, hop)) {
      hasWarned = true;
      logger.warn({ address }, warning(name));
    }
    return true;
  };
  return app.set('trust proxy', trust);
}

const trustIn = (networks: readonly string[]): Trust =>
  express()
    .set('trust proxy', [...networks])
    .get('trust proxy fn') as Trust;

/** Whether a network has more than one address. */
function isWide(text: string): boolean {
  const [address, bits] = parseNetwork(text) ?? [];
  return address !== undefined && bits !== (address.kind() === 'ipv4' ? 32 : 128);
}

const warning = (name: string): string =>
  `X-Forwarded-For has this address, which is in a network of ${name}: the address before it counts as the caller's. ` +
  `Unless it is a proxy, callers can choose their address: set ${name} to the number of proxies, or to their own addresses`;
