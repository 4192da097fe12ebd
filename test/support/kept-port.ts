import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { freePort, portIsFree } from '../../tools/local-stack/ports.js';

/** Below are the ports of programs that a machine may run anyway. */
const LOWEST = 12_000;

/**
 * A port of 127.0.0.1 for a server that starts later or must come back at the same port. No other process gets it
 * meanwhile: it lies outside the range from which the system assigns ports to connections and to servers on port 0.
 * @param taken by servers that may not listen yet.
 */
export async function keptPort(taken: readonly number[] = []): Promise<number> {
  const above = firstOfTheSystem();
  if (above <= LOWEST + 1_000) return freePort();
  for (;;) {
    const port = randomInt(LOWEST, above);
    if (!taken.includes(port) && (await portIsFree(port))) return port;
  }
}

/** The first port that Linux hands out; elsewhere they begin higher still. */
function firstOfTheSystem(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
  } catch {
    return 32_768;
  }
}
