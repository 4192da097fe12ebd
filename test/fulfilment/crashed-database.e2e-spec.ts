import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres } from '../../tools/local-stack/postgres.js';
import type { RunningServer } from '../../tools/local-stack/server-process.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { keptPort } from '../support/kept-port.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { Wire } from '../support/wire.js';

let dataDir: string;
let server: RunningServer;
let stack: TestStack;
let wire: Wire;
let merchant: TestMerchant;

/** Starts PostgreSQL again with the same files and port, as its supervisor does. */
const startServer = (port: number): Promise<RunningServer> =>
  startPostgres({ dataDir, port, settings: { max_connections: '100' } });

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'topup-crashed-'));
  server = await startServer(await keptPort());
  // Longer than the test, so that the test fails if a unit waits for its quiet period.
  const env = { DATABASE_URL: server.url, SUPPLIER_QUIET_PERIOD_MS: '900000' };
  stack = await TestStack.start(env, { worker: false });
  wire = await new Wire(server.url).listen();
  // The lease of a claim outlasts the crash: after its end, a worker would make an inquiry.
  await stack.addSupplier('fake', stack.supplier.url, 600_000);
  merchant = await stack.merchant('1000.00');
  await stack.startWorker({ DATABASE_URL: wire.url });
});

afterAll(async () => {
  await closeWithBalancedBooks(stack, wire);
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

const stateOf = async ({ order_number }: OrderBody): Promise<string | undefined> => {
  const [unit] = await stack.sql<{ state: string }>(
    `SELECT state FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
    [order_number],
  );
  return unit?.state;
};

describe('a crash of PostgreSQL after it committed a claim, and before it answered', () => {
  it('loses no order: workers buy the claimed units once, as soon as it is back, without an inquiry', async () => {
    const sku = await stack.product('35.00');
    const cut = wire.cutAfterSending((bytes) => bytes.includes('units.claim'));
    const claimed = await stack.order(merchant, [{ sku }]);
    await cut;
    await eventually(
      () => stateOf(claimed),
      (state) => state === 'sending',
    );
    process.kill(server.pid, 'SIGKILL');
    await server.ended;
    server = await startServer(server.port);
    expect(
      await eventually(
        () => stateOf(claimed).catch(() => null),
        (state) => state !== null,
      ),
    ).toBe('sending');
    wire.restore();
    await stack.orderWith(merchant, claimed.reference_id, 'completed');
    expect(stack.supplier.about(claimed.order_number).map(({ kind }) => kind)).toEqual(['send']);
    const next = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, next.reference_id, 'completed');
  });
});
