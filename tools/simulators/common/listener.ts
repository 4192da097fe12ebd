import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from './config.js';

/** Longer than any client keeps an idle connection, so that the simulator never closes one under a request. */
const KEEP_ALIVE_MS = 75_000;

/** The longest time by which a request in progress may delay the end of the process. */
const STOP_GRACE_MS = 1_000;
const IDLE_CHECK_MS = 20;

/**
 * Takes the port; requests are answered once a `request` listener is attached, which must happen at once.
 * @throws StartupError when the address cannot be listened on.
 */
export function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
    server.once('error', (error) => {
      const what = `cannot listen on ${host}:${port}: ${error.message}`;
      reject(new StartupError(`${what}; stop what is there, or set SIMULATOR_PORT to a free port`));
    });
    server.listen(port, host, () => resolve(server));
  });
}

/** The base URL of a listening server. */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Stops accepting requests and waits at most one second for those in progress. Then it cuts off the rest, such as a
 * slow top-up.
 */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const graceEnd = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    server.close(() => {
      clearInterval(idleCheck);
      clearTimeout(graceEnd);
      resolve();
    });
  });
}
