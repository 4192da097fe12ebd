import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';

/**
 * Finds all addresses of a host name.
 * @throws Error if there is none, or when the signal is aborted.
 */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 2_500;
const QUERY_TRIES = 2;
const HOSTS_FILE = '/etc/hosts';
/** How long the process uses the system's list of name servers before it reads the list again. */
const NAME_SERVERS_FOR_MS = 10_000;

/**
 * Resolves as the system does (hosts file, then DNS), but without `getaddrinfo`. While a name server is silent, `getaddrinfo`
 * blocks one of the process's few threads, so a few dead names would delay all other lookups. Only names without a dot use
 * `getaddrinfo`.
 */
export const resolveHost: Resolve = async (hostname, signal) => {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  const listed = hostsFile().get(name);
  if (listed) return listed;
  return untilAborted(name.includes('.') ? query(name) : querySystem(name), signal);
};

async function query(name: string): Promise<string[]> {
  const resolver = currentResolver();
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first?.status === 'rejected') throw first.reason;
  return addresses;
}

/** Resolves a name without a dot, as the system does. Only the operator's own network has such names. */
async function querySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

let resolver: { made: Resolver; untilMs: number } | undefined;

function currentResolver(): Resolver {
  const nowMs = performance.now();
  if (!resolver || resolver.untilMs < nowMs) {
    const made = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    resolver = { made, untilMs: nowMs + NAME_SERVERS_FOR_MS };
  }
  return resolver.made;
}

let hosts: { addresses: Map<string, string[]>; version: number } | undefined;

/** The names of the hosts file, read again when it changes. */
function hostsFile(): Map<string, string[]> {
  const version = statSync(HOSTS_FILE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (hosts?.version !== version) {
    hosts = { version, addresses: parseHosts(version === 0 ? '' : readFileSync(HOSTS_FILE, 'utf8')) };
  }
  return hosts.addresses;
}

/** Reads lines such as `10.0.0.7  shop.example shop  # comment` into the addresses of each name. */
export function parseHosts(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!address) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      addresses.set(name, [...(addresses.get(name) ?? []), address]);
    }
  }
  return addresses;
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
