import { readConfig, StartupError } from './config.js';
import { listen, stop, urlOf } from './listener.js';
import { PurchaseBook } from './purchases.js';
import { supplierProtocol } from './server.js';

/** Runs the supplier simulator until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  // The port comes first: a simulator started twice by mistake must not touch the journal of the one running.
  const server = await listen(config.host, config.port);
  const book = openBook(config.dataDir);
  server.on('request', supplierProtocol(book, config.token));

  let stopping = false;
  const shutDown = (): void => {
    if (stopping) return;
    stopping = true;
    void stop(server).then(() => {
      book.close();
      process.exit(0);
    });
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  console.log(JSON.stringify({ listening: urlOf(server) }));
}

function openBook(dataDir: string): PurchaseBook {
  try {
    return new PurchaseBook(dataDir);
  } catch (error) {
    throw new StartupError(`cannot keep purchases in ${dataDir}: ${(error as Error).message}`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof StartupError ? `simulator: ${error.message}` : error);
  process.exit(1);
});
