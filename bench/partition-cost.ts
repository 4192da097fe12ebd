import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { INestApplication } from '@nestjs/common';
import pg from 'pg';
import { createApi } from '../src/bootstrap.js';
import { loadConfig } from '../src/core/config.js';
import { createLogger } from '../src/core/logger.js';
import { Database } from '../src/database/database.js';
import { divideInPlace, keepAhead } from '../src/database/partitions/divide.js';
import { ORDERS, TRANSFERS, type TableGroup } from '../src/database/partitions/table-groups.js';
import type { Execute } from '../src/database/partitions/runs.js';
import { SchemaService } from '../src/database/schema.service.js';
import { UnitsRepository } from '../src/fulfilment/units.repository.js';
import { OrderPlacementService } from '../src/orders/order-placement.service.js';
import { OrderSettlementService } from '../src/orders/order-settlement.service.js';
import { SupplierRegistry } from '../src/suppliers/supplier-registry.js';
import { createCatalog, SKU } from './support/catalog.js';
import { addInactiveWebhooks, fillWithOrders } from './support/filling.js';
import { median, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// The cost of partitions for the statements of an order: 20 orders placed, claimed and settled at once, and orders one by one, in
// alternating databases that differ only in their partitions. Each has BENCH_ORDERS orders before, 100,000 by default, and one
// empty partition. There is no supplier, no HTTP and no waiting: it measures the processor time of PostgreSQL's processes, as
// Linux counts it, which hardly depends on other load of the machine.

const ORDERS_BEFORE = Number(process.env.BENCH_ORDERS ?? 100_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const BATCH = 20;
const REPEATS = 20;
const WARM_UPS = 6;
const SIZE = 2_000_000n;

interface Variant {
  name: string;
  /** The number of filled partitions of each table; 0 for tables without partitions. */
  orders: number;
  transfers: number;
}

const VARIANTS: Variant[] = [
  { name: 'none', orders: 0, transfers: 0 },
  { name: 'orders 1', orders: 1, transfers: 0 },
  { name: 'both 1', orders: 1, transfers: 1 },
  { name: 'both 2', orders: 2, transfers: 2 },
  { name: 'both 3', orders: 3, transfers: 3 },
];

interface Opened {
  service: INestApplication;
  database: string;
}

const stack = await startStack({}, { max_wal_size: '4GB', max_connections: '200' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, BATCH);
await addInactiveWebhooks(stack.database, wallets);
await fillWithOrders(stack.database, wallets, 0, ORDERS_BEFORE);
await stack.database.query('VACUUM (ANALYZE)');
stack.api.kill('SIGTERM');
await once(stack.api, 'exit');

const logger = createLogger(loadConfig({ ...process.env, ...stack.environment }), 'bench');
const admin = new pg.Client(urlOf('postgres'));
await admin.connect();
const databases = new Map<Variant, Opened>();
for (const [index, variant] of VARIANTS.entries()) databases.set(variant, await open(`copy_${index}`, variant));
let placed = 0;
for (const opened of databases.values()) await measure(opened);
const rounds: Record<string, number>[] = [];
const WHAT = [`${BATCH} orders, ms`, '1 order, ms'] as const;
for (let n = 0; n < ROUNDS; n++) {
  const measured: Record<string, number> = {};
  for (const [{ name }, opened] of databases)
    for (const [index, ms] of (await measure(opened)).entries()) measured[`${name}: ${WHAT[index]}`] = round(ms, 2);
  rounds.push(measured);
}
const of = (name: string): number => median(rounds.map((each) => each[name] ?? NaN));
const ratio = (name: string, what: string): number =>
  round(median(rounds.map((each) => (each[`${name}: ${what}`] ?? NaN) / (each[`none: ${what}`] ?? NaN))), 2);
report('partition-cost', rounds, {
  'orders before': ORDERS_BEFORE,
  ...Object.fromEntries<number>(
    WHAT.flatMap((what): [string, number][] => [
      [`none: ${what}`, of(`none: ${what}`)],
      ...VARIANTS.slice(1).map(({ name }): [string, number] => [`${name} / none: ${what}`, ratio(name, what)]),
    ]),
  ),
});
await admin.end();
for (const { service } of databases.values()) await service.close();
supplier.disconnect();
await stack.stop();
process.exit(0);

function urlOf(database: string): string {
  const url = new URL(stack.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Copies the database, partitions the copy, and starts the service on it. */
async function open(database: string, variant: Variant): Promise<Opened> {
  const template = new URL(stack.databaseUrl).pathname.slice(1);
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
    [template],
  );
  await admin.query(`CREATE DATABASE ${database} TEMPLATE "${template}" STRATEGY file_copy`);
  await partition(urlOf(database), variant);
  const env = {
    ...stack.environment,
    DATABASE_URL: urlOf(database),
    DATABASE_POOL_SIZE: '2',
    QUEUE_PREFIX: `{${database}}`,
  };
  const service = await createApi(loadConfig({ ...process.env, ...env }), logger);
  await service.init();
  await service.get(SchemaService).whenReady();
  return { service, database };
}

async function partition(url: string, { orders, transfers }: Variant): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const run: Execute = async <Row extends object>(text: string, values?: unknown[]) =>
    (await client.query<Row>(text, values)).rows;
  if (orders > 0) await divideInPlace(run, ORDERS, SIZE, logger);
  if (transfers > 0) await divideInPlace(run, TRANSFERS, SIZE, logger);
  const fill = async (group: TableGroup, filled: number): Promise<void> => {
    for (let n = 1; n < filled; n++) {
      await run(`SELECT setval('${group.name}_id_seq', ${BigInt(n) * SIZE}, false)`);
      await keepAhead(run, group);
    }
  };
  await fill(ORDERS, orders);
  await fill(TRANSFERS, transfers);
  await client.end();
}

/** @returns PostgreSQL's processor time for a batch of orders and for one order, in milliseconds. */
async function measure({ service, database }: Opened): Promise<[batchMs: number, singleMs: number]> {
  const spent = async (count: number): Promise<number> => {
    // A new connection plans its first statements without a cached plan.
    for (let n = 0; n < WARM_UPS; n++) await pass(service, count);
    const before = await computedMs(database);
    for (let n = 0; n < REPEATS; n++) await pass(service, count);
    let sumMs = 0;
    for (const [pid, ms] of await computedMs(database)) sumMs += ms - (before.get(pid) ?? 0);
    return sumMs / REPEATS;
  };
  return [await spent(BATCH), await spent(1)];
}

/** The processor time of the process behind each connection to a database. */
async function computedMs(database: string): Promise<Map<number, number>> {
  const asked = `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`;
  const { rows } = await admin.query<{ pid: number }>(asked, [database]);
  const counted = rows.map(async ({ pid }) => {
    const [ns] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ');
    return [pid, Number(ns) / 1e6] as const;
  });
  return new Map(await Promise.all(counted));
}

/** Places, claims and settles so many orders of one unit. */
async function pass(service: INestApplication, count: number): Promise<void> {
  const placement = service.get(OrderPlacementService, { strict: false });
  await Promise.all(
    wallets.slice(0, count).map(({ merchantId }) =>
      placement.place({
        merchantId,
        sandbox: false,
        referenceId: `bench-${++placed}`,
        requestId: 'req_bench',
        content: {
          userId: 'player',
          serverId: null,
          characterId: null,
          metadata: null,
          lines: [{ sku: SKU, quantity: 1 }],
        },
        maxTotal: null,
        endUserIp: null,
      }),
    ),
  );
  await settle(service, count);
}

async function settle(service: INestApplication, count: number): Promise<void> {
  const registry = service.get(SupplierRegistry, { strict: false });
  const units = new UnitsRepository(service.get(Database, { strict: false }), registry);
  const claimed = await units.claim(
    { partitions: [{ id: 1, slots: count }], total: count, name: 'bench' },
    new Date('9999-12-31'),
    () => ({ from_merchant: 0, from_used: 0 }),
  );
  if (claimed.length !== count) throw new Error(`${claimed.length} of ${count} units were claimed`);
  const settlement = service.get(OrderSettlementService, { strict: false });
  const settled = await Promise.all(
    claimed.map(({ order_id, item, unit, attempt, claim, merchant_id }) => {
      const outcome = { kind: 'succeeded', supplierReference: `S${order_id}` } as const;
      const about = { order_id, item, unit, attempt };
      const call = { unit: about, kind: 'send', outcome, durationMs: 10, process: 'bench' } as const;
      const key = { orderId: order_id, item, unit };
      return settlement.settle({
        key,
        merchantId: merchant_id,
        outcome,
        by: { kind: 'call', attempt, claim },
        calls: [call],
      });
    }),
  );
  if (!settled.every((each) => each === 'settled')) throw new Error('a unit was not settled');
}
