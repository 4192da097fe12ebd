import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from './deferred.js';

interface HeldRefusal {
  url: string;
  /** Settles when the vendor was called. */
  called: Promise<void>;
  release: () => void;
}

/** Runs with a vendor that refuses our credentials, but answers only once the test releases its answers. */
export async function withHeldRefusal(run: (vendor: HeldRefusal) => Promise<void>): Promise<void> {
  const [called, released] = [deferred<void>(), deferred<void>()];
  const server = createServer((request, response) => {
    request.resume();
    called.resolve();
    void released.promise.then(() => response.writeHead(401, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await run({ url, called: called.promise, release: () => released.resolve() });
  } finally {
    released.resolve();
    server.close();
  }
}
