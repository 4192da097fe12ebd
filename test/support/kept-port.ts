import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { freePort, portIsFree } from '../../tools/local-stack/ports.js';

/** Ports end with the number of jest's process, so that no other one takes a port before its server listens. */
const PROCESSES = 10;
const ownEnding = Number(process.env.JEST_WORKER_ID ?? 0) % PROCESSES;

/** Lower ports may belong to other programs of the machine. */
const LOWEST = 12_000;

/**
 * A port of 127.0.0.1 for a server that starts later, or must come back at the same port. The system never assigns it to
 * another process, because it is outside of the range for connections and for servers on port 0.
 * @param taken ports of servers that may not listen yet.
 */
export async function keptPort(taken: readonly number[] = []): Promise<number> {
  const above = firstOfTheSystem();
  if (above <= LOWEST + 1_000) return freePort();
  for (;;) {
    const port = randomInt(LOWEST / PROCESSES, Math.floor(above / PROCESSES)) * PROCESSES + ownEnding;
    if (!taken.includes(port) && (await portIsFree(port))) return port;
  }
}

/** The first port that Linux assigns. Other systems assign higher ports. */
function firstOfTheSystem(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
  } catch {
    return 32_768;
  }
}
