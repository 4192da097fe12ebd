import type { Server } from 'node:http';
import { StartupError } from './config.js';
import { stop } from './listener.js';

/** A running simulator. */
export interface Simulation {
  readonly server: Server;
  /** Closes the simulator's state; the server must have stopped. */
  readonly close: () => void;
  /** The content of its first line: the vendor's base URL, and the credentials of the account if it has any. */
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

/** Runs `main`; an error ends the process with code 1. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof StartupError ? `simulator: ${error.message}` : error);
    process.exit(1);
  });
}
