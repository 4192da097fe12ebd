import { StartupError } from '../common/config.js';
import { listen, urlOf } from '../common/listener.js';
import { runMain, serveUntilSignalled } from '../common/process.js';
import { readConfig } from './config.js';
import { PurchaseBook } from './purchases.js';
import { supplierProtocol } from './server.js';

/** Runs the supplier simulator until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  // The port comes first: a simulator that was started twice must not touch the journal of the running one.
  const server = await listen(config.host, config.port);
  const book = openBook(config.dataDir);
  server.on('request', supplierProtocol(book, config.token));
  serveUntilSignalled({ server, close: () => book.close(), about: { listening: urlOf(server) } });
}

function openBook(dataDir: string): PurchaseBook {
  try {
    return new PurchaseBook(dataDir);
  } catch (error) {
    throw new StartupError(`cannot keep purchases in ${dataDir}: ${(error as Error).message}`);
  }
}

runMain(main);
