import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getQueueToken } from '@nestjs/bull';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Queue } from 'bull';
import { SchemaService } from '../../src/database/schema.service.js';
import { keptPort } from '../support/kept-port.js';
import { startPostgres } from '../../tools/local-stack/postgres.js';
import type { RunningServer } from '../../tools/local-stack/server-process.js';
import { giveTo, serverOwner } from '../../tools/local-stack/unprivileged.js';
import { FULFILMENT_QUEUE } from '../../src/queues/queues.js';
import { CommandLine } from '../cli/command-line.js';
import { eventually } from '../support/eventually.js';
import { Client } from '../support/http.js';
import { startOwnRedis, type OwnRedis } from '../support/redis.js';
import { TestStack } from '../support/stack.js';
import { AUTHORITY, CERTIFICATE, KEY } from '../webhooks/certificates.js';

/** Certificates of servers and of a private authority, which no system trusts by default. */
let directory: string;
let authority: string;
let certificate: string;
let key: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'topup-tls-'));
  chmodSync(directory, 0o755);
  const write = (name: string, text: string): string => {
    const file = path.join(directory, name);
    writeFileSync(file, text, { mode: name === 'key.pem' ? 0o600 : 0o644 });
    giveTo(serverOwner(file), file);
    return file;
  };
  authority = write('authority.pem', AUTHORITY);
  certificate = write('certificate.pem', CERTIFICATE);
  key = write('key.pem', KEY);
});

afterAll(() => rmSync(directory, { recursive: true }));

/** Completes an order. */
async function expectWork(stack: TestStack, api = stack.api): Promise<void> {
  const merchant = await stack.merchant();
  const client = new Client(stack.urlOf(api), merchant.key);
  const order = await stack.order({ ...merchant, client }, [{ sku: await stack.product() }]);
  await stack.orderWith(merchant, order.reference_id, 'completed');
}

const queueOf = (stack: TestStack): Queue => stack.api.get(getQueueToken(FULFILMENT_QUEUE));

describe('Redis with TLS', () => {
  let redis: OwnRedis;
  let url: string;

  const startAt = (port: number): Promise<OwnRedis> =>
    startOwnRedis({
      'tls-port': String(port),
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': authority,
      'tls-auth-clients': 'no',
    });

  beforeAll(async () => {
    const port = await keptPort();
    redis = await startAt(port);
    const tls = new URL(redis.url);
    tls.port = String(port);
    url = tls.href.replace('redis:', 'rediss:');
  });

  afterAll(() => redis.stop());

  it('wakes workers if its certificate comes from the authority of REDIS_TLS_CA_FILE', async () => {
    const stack = await TestStack.start({ REDIS_URL: url, REDIS_TLS_CA_FILE: authority });
    try {
      await eventually(
        () => queueOf(stack).client.status,
        (status) => status === 'ready',
      );
      await expectWork(stack);
    } finally {
      await stack.close();
    }
  });

  it('gets no commands if its certificate comes from an unknown authority, and orders go on without it', async () => {
    const log: string[] = [];
    const stack = await TestStack.start({ LOG_LEVEL: 'warn' }, { logTo: { write: (line) => log.push(line) } });
    const refusing = await stack.startApi({ REDIS_URL: url });
    await refusing.get(SchemaService).whenReady();
    try {
      await eventually(
        () => log.join(''),
        (text) => text.includes('certificate'),
      );
      await expectWork(stack, refusing);
    } finally {
      await refusing.close();
      await stack.close();
    }
  });

  it('is reported with each reason of an outage: its certificate, too, if at first nothing listened', async () => {
    const log: string[] = [];
    const port = await keptPort();
    const stack = await TestStack.start(
      { LOG_LEVEL: 'warn', REDIS_URL: `rediss://127.0.0.1:${port}` },
      { worker: false, logTo: { write: (line) => log.push(line) } },
    );
    const logged = (reason: string): Promise<string[]> =>
      eventually(
        () => log.filter((line) => line.includes(reason)),
        // One line of each queue.
        ({ length }) => length === 2,
      );
    try {
      await logged('ECONNREFUSED');
      const late = await startAt(port);
      try {
        await logged('certificate');
      } finally {
        await late.stop();
      }
    } finally {
      await stack.close();
    }
  });

  it('never gets unencrypted bytes', async () => {
    const heard: Buffer[] = [];
    const listener = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => {
        heard.push(bytes);
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    const stack = await TestStack.start({}, { worker: false });
    const api = await stack.startApi({ REDIS_URL: `rediss://:the-password@127.0.0.1:${port}` });
    try {
      await eventually(
        () => heard,
        ({ length }) => length > 0,
      );
      // 22 begins a TLS handshake.
      expect(new Set(heard.map((bytes) => bytes[0]))).toEqual(new Set([22]));
      expect(Buffer.concat(heard).toString('latin1')).not.toContain('the-password');
    } finally {
      await api.close();
      await stack.close();
      listener.close();
    }
  });
});

describe('PostgreSQL with TLS', () => {
  let server: RunningServer;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'topup-postgres-tls-'));
    server = await startPostgres({
      dataDir,
      port: await keptPort(),
      settings: { fsync: 'off', ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key },
    });
  });

  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('stores orders with sslmode=verify-full and the authority in sslrootcert, and gets no unencrypted connection', async () => {
    const url = `${server.url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
    const stack = await TestStack.start({ DATABASE_URL: url });
    try {
      // A connection that is not in use may be closed on a busy machine before the test looks at it.
      const workAndLook = async (): Promise<object[]> => {
        await expectWork(stack);
        return stack.sql(
          `SELECT application_name AS name, bool_and(ssl) AS ssl
           FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'topup%' GROUP BY 1 ORDER BY 1`,
        );
      };
      expect(await eventually(workAndLook, ({ length }) => length > 1)).toEqual([
        { name: 'topup', ssl: true },
        { name: 'topup-orm', ssl: true },
      ]);
    } finally {
      await stack.close();
    }
  });

  it('is refused if its certificate names another host, with a line in the log', async () => {
    const log: string[] = [];
    const stack = await TestStack.start(
      { LOG_LEVEL: 'warn' },
      { worker: false, logTo: { write: (line) => log.push(line) } },
    );
    const url = new URL(server.url);
    url.hostname = 'localhost';
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', authority);
    const refusing = await stack.startApi({ DATABASE_URL: url.href });
    try {
      await eventually(
        () => log.join(''),
        (text) => text.includes('it is for another host'),
      );
      expect((await fetch(`${stack.urlOf(refusing)}/readyz`)).status).toBe(503);
    } finally {
      await refusing.close();
      await stack.close();
    }
  });

  it('is refused by commands if its certificate comes from an unknown authority, with a message', async () => {
    const commands = new CommandLine({ DATABASE_URL: `${server.url}?sslmode=verify-full` });
    const { code, stderr } = await commands.run('merchant', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('name the file of its authority as sslrootcert');
    const missing = new CommandLine({
      DATABASE_URL: `${server.url}?sslmode=verify-full&sslrootcert=/nowhere.pem`,
    });
    expect((await missing.run('merchant', 'list')).stderr).toContain('DATABASE_URL names as sslrootcert');
  });

  it('is refused by the service if its certificate comes from an unknown authority', async () => {
    const log: string[] = [];
    const stack = await TestStack.start(
      { LOG_LEVEL: 'warn' },
      { worker: false, logTo: { write: (line) => log.push(line) } },
    );
    const refusing = await stack.startApi({ DATABASE_URL: `${server.url}?sslmode=verify-full` });
    try {
      await eventually(
        () => log.join(''),
        (text) => text.includes('name the file of its authority as sslrootcert'),
      );
      expect((await fetch(`${stack.urlOf(refusing)}/readyz`)).status).toBe(503);
    } finally {
      await refusing.close();
      await stack.close();
    }
  });
});
