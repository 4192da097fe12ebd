import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { SchemaService } from '../../src/database/schema.service.js';
import { SEALED_COLUMNS } from '../../src/operators/secrets.repository.js';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { Endpoints, Hooks } from '../webhooks/support.js';
import { deliveriesOf, handedOver, newPlayer } from './handed-over.js';

const CODE = 'SECRET-CODE-7719';
const SERIAL = 'SECRET-SERIAL-3306';

const log: string[] = [];
let stack: TestStack;
let endpoints: Endpoints;
let merchant: TestMerchant;
let order: OrderBody;

beforeAll(async () => {
  stack = await TestStack.start({ LOG_LEVEL: 'trace' }, { logTo: { write: (line) => void log.push(line) } });
  endpoints = await new Endpoints().listen();
  merchant = await stack.merchant();
  const hooks = new Hooks(merchant);
  const echoing = endpoints.add((response, { body }) => void response.writeHead(200).end(body));
  const { id } = await hooks.register(echoing, { include_deliveries: true });
  const player = newPlayer();
  // One more inquiry, so that all ways of a code are tested.
  stack.supplier.script(player, ({ kind, reference }) =>
    kind === 'send' ? bought(reference) : handedOver(reference, [{ serial: SERIAL, code: CODE }]),
  );
  order = await stack.order(merchant, [{ sku: await stack.product('35.00', { kind: 'code' }) }], player);
  const [delivered] = await deliveriesOf(stack, merchant, order);
  expect(delivered).toEqual([{ unit: 1, serial: SERIAL, code: CODE, expires_on: null }]);
  expect((await endpoints.arrived(echoing))[0]?.body).toContain(CODE);
  await hooks.newestIs(id, 'succeeded');
});

afterAll(() => closeWithBalancedBooks(stack, endpoints));

const commandLine = (key: Buffer | null, previous: Buffer | null = null): CommandLine =>
  new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: key?.toString('base64') ?? '',
    SECRETS_PREVIOUS_KEYS: previous?.toString('base64') ?? '',
  });

/** All rows of all tables, as text. */
async function dump(): Promise<string> {
  const tables = await stack.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const texts = tables.map(({ name }) => stack.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`));
  return (await Promise.all(texts))
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

const dumpOf = (table: string): Promise<object[]> => stack.sql(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);

/** Another order with a delivered code. */
async function orderWithCode(supplier?: string): Promise<OrderBody> {
  const player = newPlayer();
  stack.supplier.script(player, ({ reference }) => handedOver(reference, [{ serial: SERIAL, code: CODE }]));
  const sku = await stack.product('35.00', { kind: 'code', ...(supplier === undefined ? {} : { supplier }) });
  const made = await stack.order(merchant, [{ sku }], player);
  const [delivered] = await deliveriesOf(stack, merchant, made);
  expect(delivered).toEqual([{ unit: 1, serial: SERIAL, code: CODE, expires_on: null }]);
  return made;
}

const hexOf = (text: string): string => Buffer.from(text).toString('hex');

describe('a delivered code is stored or written unsealed', () => {
  it('in no table', async () => {
    const text = await dump();
    expect(text).toContain(order.order_number);
    for (const secret of [CODE, SERIAL]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(hexOf(secret));
    }
  });

  it('in no log line', () => {
    expect(log.filter((line) => line.includes(order.order_number)).length).toBeGreaterThan(3);
    expect(log.filter((line) => line.includes('SECRET-'))).toEqual([]);
  });

  it('in no command’s output', async () => {
    const operator = commandLine(stack.config.secretsKey);
    const number = order.order_number;
    for (const args of [['order', 'show', number], ['order', 'list'], ['log']])
      expect(JSON.stringify(await operator.json(...args))).not.toContain('SECRET-');
  });
});

describe('a sealed code', () => {
  it('can be unsealed only for its own unit, even if it is copied to another', async () => {
    const other = await orderWithCode();
    const [kept] = await stack.sql<{ sealed: Buffer }>(
      `SELECT d.sealed FROM unit_deliveries d JOIN orders o ON o.id = d.order_id WHERE o.order_number = $1`,
      [other.order_number],
    );
    const put = (sealed: string, values: unknown[]): Promise<unknown> =>
      stack.sql(
        `UPDATE unit_deliveries SET sealed = ${sealed} WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
        [other.order_number, ...values],
      );
    const read = () => merchant.client.get<OrderBody>(`/v1/orders/${other.reference_id}`);
    await put(`(SELECT d.sealed FROM unit_deliveries d JOIN orders o ON o.id = d.order_id WHERE o.order_number = $2)`, [
      order.order_number,
    ]);
    const misplaced = await read();
    expect(misplaced.status).toBe(500);
    expect(JSON.stringify(misplaced.body)).not.toContain('SECRET-');
    await put('$2', [kept?.sealed]);
    expect((await read()).status).toBe(200);
  });
});

describe('topup secrets rotate', () => {
  it('binds secrets to their rows that were sealed without a row, each once', async () => {
    const { secretsKey } = stack.config;
    const versions = (): Promise<{ place: string; version: number }[]> =>
      stack.sql(
        `SELECT DISTINCT place, get_byte(sealed, 0) AS version FROM (
           SELECT 'webhook' AS place, secret_sealed AS sealed FROM webhooks
           UNION ALL SELECT 'token', token_sealed FROM suppliers
           UNION ALL SELECT 'delivery', sealed FROM unit_deliveries) kept
         WHERE sealed IS NOT NULL ORDER BY place`,
      );
    await stack.addSupplier('with-token', stack.supplier.url, 10_000, 'its-token');
    expect(await versions()).toEqual([
      { place: 'delivery', version: 2 },
      { place: 'token', version: 1 },
      { place: 'webhook', version: 1 },
    ]);
    const before = await dumpOf('unit_deliveries');
    expect(await commandLine(secretsKey).json('secrets', 'rotate')).toEqual({ rotated: 2 });
    expect((await versions()).map(({ version }) => version)).toEqual([2, 2, 2]);
    expect(await commandLine(secretsKey).json('secrets', 'rotate')).toEqual({ rotated: 0 });
    const { stdout } = await commandLine(secretsKey).run('secrets', 'rotate');
    expect(stdout).toContain('Keep the old key with the dumps and archived months that were made before');
    expect(stdout).toContain('docker compose run --rm backup now');
    expect(await dumpOf('unit_deliveries')).toEqual(before);
    // They still work: a worker buys a code with the token, and the webhook delivers it.
    const withToken = await orderWithCode('with-token');
    expect(stack.supplier.about(withToken.order_number)[0]?.authorization).toBe('Bearer its-token');
    await eventually(
      () => endpoints.arrivals.filter(({ body }) => body.includes(withToken.order_number)),
      (arrived) => arrived.length === 1,
    );
  });

  it('seals codes again, and they can still be read', async () => {
    const { secretsKey: old } = stack.config;
    const fresh = randomBytes(32);
    await commandLine(fresh, old).json('secrets', 'rotate');
    const api = await stack.startApi({ secretsKey: fresh, previousSecretsKeys: [] });
    try {
      await api.get(SchemaService).whenReady();
      const answer = await fetchServed(`${stack.urlOf(api)}/v1/orders/${order.reference_id}`, {
        headers: { 'x-api-key': merchant.key },
      });
      expect(await answer.text()).toContain(CODE);
    } finally {
      await api.close();
    }
    await commandLine(old, fresh).json('secrets', 'rotate');
  });
});

describe('the columns that it seals again', () => {
  it('are all columns of bytes, except hashes', async () => {
    const dataSource = stack.api.get(DataSource);
    const known = SEALED_COLUMNS.map(({ entity, column }) => `${dataSource.getMetadata(entity).tableName}.${column}`);
    const there = await stack.sql<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name !~ 'hash$'`,
    );
    expect(known.sort()).toEqual(there.map(({ name }) => name).sort());
  });
});
