import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SLOW_MS = 50;

/**
 * A webhook receiver in a process of its own: /ok answers 204, /slow does after a while, /fail answers 500, /hang never
 * answers. It prints its port, and sends its parent the event id and arrival time (milliseconds since 1970, with fractions) of
 * each request to /ok or /slow.
 */
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === '/hang') return;
    if (request.url === '/fail') return void response.writeHead(500).end();
    process.send?.({ id: request.headers['webhook-id'], at: performance.timeOrigin + performance.now() });
    if (request.url === '/slow') setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    else response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
