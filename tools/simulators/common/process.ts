import type { Server } from 'node:http';
import { StartupError } from './config.js';
import { stop, urlOf } from './listener.js';

/** Prints where `server` listens, and at SIGTERM or SIGINT stops it, calls `close` and ends the process. */
export function serveUntilSignalled(server: Server, close: () => void): void {
  let stopping = false;
  const shutDown = (): void => {
    if (stopping) return;
    stopping = true;
    void stop(server).then(() => {
      close();
      process.exit(0);
    });
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  console.log(JSON.stringify({ listening: urlOf(server) }));
}

/** Runs `main`; what it throws ends the process with code 1. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof StartupError ? `simulator: ${error.message}` : error);
    process.exit(1);
  });
}
