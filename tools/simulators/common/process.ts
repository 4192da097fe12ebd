import type { Server } from 'node:http';
import { StartupError } from './config.js';
import { stop } from './listener.js';

/** A simulator that runs. */
export interface Simulation {
  readonly server: Server;
  /** Closes what the simulator keeps; the server has stopped by then. */
  readonly close: () => void;
  /** What its first line says: the vendor's base URL, and the credentials of the account where it has any. */
  readonly about: { readonly listening: string; readonly credentials?: Readonly<Record<string, string>> };
}

/** Prints where the simulator listens, and at SIGTERM or SIGINT stops it and ends the process. */
export function serveUntilSignalled({ server, close, about }: Simulation): void {
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
  console.log(JSON.stringify(about));
}

/** Runs `main`; what it throws ends the process with code 1. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof StartupError ? `simulator: ${error.message}` : error);
    process.exit(1);
  });
}
