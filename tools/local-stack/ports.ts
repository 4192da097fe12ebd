import { createServer } from 'node:net';

const loopback = '127.0.0.1';

/** A port of 127.0.0.1 that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const port = await tryToListen(0, loopback);
  if (port === null) throw new Error('the system gave no free port on 127.0.0.1');
  return port;
}

/** A free port that is not in the list, whose ports may still be free. */
export async function freePortExcept(taken: readonly number[]): Promise<number> {
  const port = await freePort();
  return taken.includes(port) ? freePortExcept(taken) : port;
}

/** Whether a server could listen on this port now; `host` undefined means every address. */
export async function portIsFree(port: number, host: string | undefined = loopback): Promise<boolean> {
  return (await tryToListen(port, host)) !== null;
}

function tryToListen(port: number, host: string | undefined): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
