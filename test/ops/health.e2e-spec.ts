import type { EventEmitter } from 'node:events';
import { getQueueToken } from '@nestjs/bull';
import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Queue } from 'bull';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Database } from '../../src/database/database.js';
import { MIGRATION_LOCK, SchemaService } from '../../src/database/schema.service.js';
import { FULFILMENT_QUEUE } from '../../src/queues/queues.js';
import { createEmptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { whileLocked } from '../support/locks.js';
import { TestStack } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { Wire } from '../support/wire.js';
import { openManagementPort } from './management.js';

/** Nothing listens there. */
const NO_REDIS = { REDIS_URL: 'redis://127.0.0.1:1' };

let stack: TestStack;
let wire: Wire;
/** An API and a worker whose PostgreSQL can be taken away. */
let api: INestApplication;
let worker: INestApplicationContext;
let ports: { api: string; 'API’s management': string; 'worker’s management': string };

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  wire = await new Wire(stack.config.DATABASE_URL).listen();
  api = await stack.startApi({ DATABASE_URL: wire.url });
  worker = await stack.startWorker({ DATABASE_URL: wire.url });
  for (const each of [api, worker]) await each.get(SchemaService).whenReady();
  ports = {
    api: stack.urlOf(api),
    'API’s management': await openManagementPort(api),
    'worker’s management': await openManagementPort(worker),
  };
});

afterAll(async () => {
  wire.restore();
  await api.close();
  await stack.close();
  await wire.close();
});

interface Setting {
  name: string;
  setting: string;
}

async function administer(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

type Health = { status: string; redis?: string };

async function ask(
  port: string,
  path: string,
  by: (url: string) => Promise<Response> = fetch,
): Promise<{ status: number; body: Health }> {
  const response = await by(port + path);
  return { status: response.status, body: (await response.json()) as Health };
}

describe.each(['api', 'API’s management', 'worker’s management'] as const)('on the %s port', (name) => {
  it('/healthz and /readyz answer 200 while all is well', async () => {
    expect(await ask(ports[name], '/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ask(ports[name], '/readyz', fetchServed)).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it('/readyz answers 503 while PostgreSQL is unreachable, and the process still lives', async () => {
    wire.cut();
    await eventually(
      () => ask(ports[name], '/readyz'),
      ({ status }) => status === 503,
    );
    expect(await ask(ports[name], '/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    wire.restore();
    await eventually(
      () => ask(ports[name], '/readyz'),
      ({ status }) => status === 200,
    );
  });

  it('/readyz answers 503 while PostgreSQL does not answer, before the query times out', async () => {
    const { pool } = (name === 'worker’s management' ? worker : api).get(Database);
    const askTheSilent = async (): Promise<{ status: number; isAsking: boolean }> => {
      wire.silence();
      const { status } = await ask(ports[name], '/readyz');
      return { status, isAsking: pool.totalCount > pool.idleCount };
    };
    try {
      // A connection that is being opened does not fall silent yet.
      await eventually(askTheSilent, ({ status, isAsking }) => status === 503 && isAsking);
    } finally {
      wire.cut();
      wire.restore();
    }
    await eventually(
      () => ask(ports[name], '/readyz'),
      ({ status }) => status === 200,
    );
  });
});

describe('a read-only PostgreSQL, such as a standby that has the address before its promotion', () => {
  const isReadOnly = (yes: boolean): Promise<void> =>
    administer(async (admin) => {
      const name = new URL(stack.config.DATABASE_URL).pathname.slice(1);
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${yes ? 'on' : 'off'}`);
      // The setting applies to new sessions only.
      if (yes) await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    });

  it('/readyz answers 503 on each port, and 200 once PostgreSQL accepts writes again', async () => {
    await isReadOnly(true);
    for (const port of Object.values(ports)) {
      await eventually(
        () => ask(port, '/readyz'),
        ({ status, body }) => status === 503 && JSON.stringify(body).includes('PostgreSQL is read-only'),
      );
    }
    await isReadOnly(false);
    for (const port of Object.values(ports))
      await eventually(
        () => ask(port, '/readyz'),
        ({ status }) => status === 200,
      );
  });
});

describe('the connections to PostgreSQL', () => {
  const settings = `
    SELECT name, setting FROM pg_settings
    WHERE name ~ '^(statement|lock|idle_in_transaction_session)_timeout$|^tcp_'`;

  it.each([
    ['of the hot paths', async () => (await api.get(Database).pool.query<Setting>(settings)).rows],
    ['of TypeORM', () => api.get(DataSource).query<Setting[]>(settings)],
  ])('%s have timeouts below the 10 s that clients wait, and keep-alive', async (_whose, ask) => {
    const rows = await ask();
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      idle_in_transaction_session_timeout: '4000',
      lock_timeout: '3000',
      statement_timeout: '6000',
      tcp_keepalives_count: '3',
      tcp_keepalives_idle: '5',
      tcp_keepalives_interval: '3',
      tcp_user_timeout: '15000',
    });
  });
});

describe('Redis', () => {
  it.each(['API’s management', 'worker’s management'] as const)('is reported on the %s port', async (name) => {
    await eventually(
      () => ask(ports[name], '/readyz'),
      ({ status, body }) => status === 200 && body.redis === 'up',
    );
  });

  it('is not required: without it, API and worker are ready', async () => {
    const withoutRedis = await stack.startApi(NO_REDIS);
    try {
      for (const each of [withoutRedis, await stack.startWorker(NO_REDIS)]) {
        await each.get(SchemaService).whenReady();
        expect(await ask(await openManagementPort(each), '/readyz', fetchServed)).toEqual({
          status: 200,
          body: { status: 'ready', redis: 'down' },
        });
      }
    } finally {
      await withoutRedis.close();
    }
  });

  it('may be unreachable while a worker stops, in the middle of its attempt to connect again', async () => {
    const withoutRedis = await stack.startWorker(NO_REDIS);
    const queue = withoutRedis.get<Queue & { eclient: EventEmitter }>(getQueueToken(FULFILMENT_QUEUE), {
      strict: false,
    });
    // `events.once` would fail, because each attempt ends with an error.
    await new Promise((resolve) => queue.eclient.once('connecting', resolve));
    // An unhandled error fails the test, and would end the process.
    await queue.close().catch(() => undefined);
    await withoutRedis.close();
  });
});

describe('for a load balancer, the API’s /readyz', () => {
  it('has the usual error body, and Retry-After', async () => {
    wire.cut();
    const answer: Answer<unknown> = await new Client(ports.api, null).once.get('/readyz');
    wire.restore();
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', 'PostgreSQL does not answer');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('says that the schema is not up to date, while another process changes it', async () => {
    const empty = await createEmptyDatabase();
    const config = { DATABASE_URL: empty.url };
    await whileLocked({ config }, `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, async () => {
      const waiting = await stack.startApi(config);
      await eventually(
        () => ask(stack.urlOf(waiting), '/readyz'),
        ({ status, body }) => status === 503 && JSON.stringify(body).includes('The schema is not up to date yet'),
      );
      await waiting.close();
    });
    await empty.drop();
  });
});
