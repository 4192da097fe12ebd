import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { localDataDir } from '../src/core/project-root.js';
import { LocalError } from '../src/cli/local-stack/errors.js';
import { portIsFree } from '../tools/local-stack/ports.js';
import { eventually } from './support/eventually.js';
import { keptPort } from './support/kept-port.js';
import { checkPorts, readSettings } from '../tools/local-stack/settings.js';

const directory = localDataDir();
let servers: Server[] = [];

afterEach(async () => {
  const open = servers;
  servers = [];
  await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Listens on a port, like another program. */
async function listener(port: number): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
}

/** A free port whose next port is free, too. */
async function freePortPair(): Promise<number> {
  const port = await keptPort();
  return (await portIsFree(port + 1)) ? port : freePortPair();
}

async function rejection(promise: Promise<unknown>): Promise<LocalError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalError);
  return error as LocalError;
}

describe('the settings of the local stack', () => {
  test('name every mistake at once', async () => {
    const { message } = await rejection(readSettings({ PORT: 'http', REDIS_URL: 'localhost', SECRETS_KEY: 'short' }));
    expect(message).toMatch(/PORT must[^]*REDIS_URL must|REDIS_URL must[^]*PORT must/);
    expect(message).toContain('SECRETS_KEY must');
  });

  test('leave out nothing: the defaults are those of the service', async () => {
    expect(await readSettings({ TOPUP_DATA_DIR: directory })).toMatchObject({
      dataDir: directory,
      port: 3000,
      managementPort: 9464,
      workerManagementPort: 9465,
      databaseUrl: null,
      redisUrl: null,
    });
  });

  test('a taken port is named with the variable that changes it', async () => {
    const port = await keptPort();
    await listener(port);
    const settings = await readSettings({ PORT: String(port), MANAGEMENT_PORT: '0' });
    const { message } = await rejection(checkPorts(settings));
    expect(message).toContain(`Port ${port} on 0.0.0.0, for the API, is taken`);
    expect(message).toContain('set PORT to a free port');
  });

  test('every taken port is named at once, with a line that starts on free ones', async () => {
    const [port, managementPort] = [await keptPort(), await freePortPair()];
    for (const taken of [port, managementPort, managementPort + 1]) await listener(taken);
    const settings = await readSettings({ PORT: String(port), MANAGEMENT_PORT: String(managementPort) });
    const { message } = await rejection(checkPorts(settings));
    expect(message).toContain(`Port ${port} on 0.0.0.0, for the API, is taken`);
    expect(message).toContain(
      `Port ${managementPort} on 127.0.0.1, for the management pages of the API, is taken by another program: ` +
        'stop it, or set MANAGEMENT_PORT to a free port',
    );
    expect(message).toContain(`Port ${managementPort + 1} on 127.0.0.1, for the management pages of the worker`);
    const start = async (): Promise<string | null> => {
      const { message: line } = await rejection(checkPorts(settings));
      const [, ...free] = /^ {2}PORT=(\d+) MANAGEMENT_PORT=(\d+) npm start$/m.exec(line) ?? [];
      const env = { PORT: free[0], MANAGEMENT_PORT: free[1] };
      return checkPorts(await readSettings(env)).then(
        () => null,
        (error: Error) => error.message,
      );
    };
    // Another program may take one of them first.
    await eventually(start, (problem) => problem === null);
  });

  test('what is meant twice is named at once with the other mistakes', async () => {
    const port = await keptPort();
    await listener(port);
    const settings = await readSettings({ PORT: String(port), MANAGEMENT_PORT: String(port) });
    const { message } = await rejection(checkPorts(settings));
    expect(message).toContain(`Port ${port} on 0.0.0.0, for the API, is taken`);
    expect(message).toContain(`Port ${port} is meant both for the API and for the management pages of the API`);
  });

  test('one port for two purposes is a mistake', async () => {
    const port = await keptPort();
    const settings = await readSettings({ PORT: String(port), MANAGEMENT_PORT: String(port - 1) });
    const { message } = await rejection(checkPorts(settings));
    expect(message).toContain(`Port ${port} is meant both for the API and for the management pages of the worker`);
  });
});
