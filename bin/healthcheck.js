#!/usr/bin/env node
// The container's health check: exits with 0 when the process of this container answers. `healthcheck.js /readyz` asks
// whether it can work, too. Without a path it asks for /healthz, so that nothing restarts a process that only waits for
// PostgreSQL: it recovers by itself.
import { get } from 'node:http';

const TIMEOUT_MS = 4_000;
/** The port of a variable. Without a value, docker compose gives a blank. */
const portOf = (name, otherwise) => process.env[name]?.trim() || otherwise;
const path = process.argv[2] ?? '/healthz';
const apiPort = portOf('PORT', 3000);
const workerPort = portOf('MANAGEMENT_PORT', 9465);
const consolePort = portOf('CONSOLE_PORT', 3100);

/** The status of the answer; undefined when nothing listens there. */
function ask(port) {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.on('error', (error) => (error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error)));
  });
}

try {
  // One container runs one process: an API or a console listens on its own port, a worker only on its management port.
  const status = (await ask(apiPort)) ?? (await ask(workerPort)) ?? (await ask(consolePort));
  if (status !== 200) {
    console.log(
      status ? `${path} answered ${status}` : `nothing listens on ${apiPort}, ${workerPort} or ${consolePort}`,
    );
    process.exitCode = 1;
  }
} catch (error) {
  console.log(`${path}: ${error.message}`);
  process.exitCode = 1;
}
