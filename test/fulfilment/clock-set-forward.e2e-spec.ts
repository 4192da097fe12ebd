import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/core/logger.js';
import { OldPartitionsRepository } from '../../src/database/partitions/old-partitions.repository.js';
import { CallbackRetentionService } from '../../src/fulfilment/callbacks/callback-retention.service.js';
import { SupplierCallbacksRepository } from '../../src/fulfilment/callbacks/supplier-callbacks.repository.js';
import { RetentionRepository } from '../../src/maintenance/retention.repository.js';
import { RetentionService } from '../../src/maintenance/retention.service.js';
import { WorkerHeartbeatService } from '../../src/queues/worker-heartbeat.service.js';
import { WorkerProcessesRepository } from '../../src/queues/worker-processes.repository.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { wakeWorkers } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer } from '../support/fake-supplier.js';
import { holding } from '../support/locks.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

/** Longer than the test holds a call. */
const TIMEOUT_MS = 120_000;
/** Longer than the lease of a call and the quiet period after it. */
const STEP = '150 seconds';

/** The worker's connections read a clock that the test sets, instead of PostgreSQL's. */
beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  await stack.sql('CREATE SCHEMA clock');
  await stack.sql(`CREATE TABLE clock.ahead AS SELECT '0'::interval AS by`);
  await stack.sql(`CREATE FUNCTION clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
                   AS 'SELECT pg_catalog.statement_timestamp() + by FROM clock.ahead'`);
  await stack.sql(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = clock, pg_catalog, public', current_database()); END $$`);
  await stack.addSupplier('fake', stack.supplier.url, TIMEOUT_MS);
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
  await stack.startWorker();
  await eventually(
    () => stack.sql('SELECT FROM worker_processes'),
    ({ length }) => length === 1,
  );
});

afterAll(() => closeWithBalancedBooks(stack));

const setForward = (by: string): Promise<object[]> => stack.sql(`UPDATE clock.ahead SET by = by + $1::interval`, [by]);

describe('8.3 While the clock of PostgreSQL is set forward', () => {
  it('a worker queries a unit whose send is in flight, and does not send it again, because the quiet period has not ended', async () => {
    const first = deferred<Answer>();
    stack.supplier.script('under way', ({ kind, reference }, { length }) => {
      if (length === 0) return first.promise;
      return kind === 'send' ? bought(reference) : neverSeen;
    });
    const order = await stack.order(merchant, [{ sku }], 'under way');
    const kinds = (): string[] => stack.supplier.about(order.order_number).map(({ kind }) => kind);
    await eventually(kinds, ({ length }) => length === 1);
    await setForward(STEP);
    const [sent, ...asked] = await eventually(kinds, ({ length }) => length >= 3);
    expect([sent, new Set(asked)]).toEqual(['send', new Set(['inquiry'])]);
    first.resolve(bought(`${order.order_number}.1.1`));
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(kinds().filter((kind) => kind === 'send')).toHaveLength(1);
  });

  it('a worker that does not know the clock yet sends nothing again', async () => {
    // The last send was a moment ago, but long ago by the clock that was set forward.
    stack.supplier.script('in doubt', ({ kind, reference }, { length }) => {
      if (length === 0) return 'drop';
      return kind === 'send' ? bought(reference) : neverSeen;
    });
    const order = await stack.order(merchant, [{ sku }], 'in doubt');
    const kinds = (): string[] => stack.supplier.about(order.order_number).map(({ kind }) => kind);
    await eventually(
      () => stack.sql(`SELECT FROM order_units WHERE state = 'unknown' AND claimed_by IS NULL`),
      ({ length }) => length === 1,
    );
    await stack.stopWorkers();
    await stack.sql('DELETE FROM worker_processes');
    await setForward(STEP);
    await holding(stack, 'worker_processes', async () => {
      await stack.startWorker();
      // Without its heartbeat, the worker finds no work by itself.
      const wakeAndLook = async (): Promise<string[]> => {
        await wakeWorkers(stack);
        return kinds();
      };
      await eventually(wakeAndLook, ({ length }) => length >= 3);
      expect(kinds().filter((kind) => kind === 'send')).toHaveLength(1);
    });
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });
});

describe('A worker', () => {
  const heartbeat = (): WorkerHeartbeatService =>
    new WorkerHeartbeatService(new WorkerProcessesRepository(stack.database));
  const isTrusted = (worker: WorkerHeartbeatService): boolean => worker.clockLimit(60_000).getTime() > 0;

  /** A worker's first round of retention. */
  const removeOldEvents = (worker: WorkerHeartbeatService): Promise<void> =>
    new RetentionService(
      stack.database,
      new RetentionRepository(),
      new OldPartitionsRepository(stack.database),
      worker,
      createLogger(stack.config, 'test'),
    ).removeIfDue(new AbortController().signal, 90);

  // Connections from before the schema `clock` read PostgreSQL's own clock.
  beforeAll(() => stack.database.reconnect());

  beforeEach(async () => {
    await stack.stopWorkers();
    await stack.sql('DELETE FROM worker_processes');
  });

  it('does not trust the clock before its first beat', async () => {
    const worker = heartbeat();
    expect(isTrusted(worker)).toBe(false);
    await worker.beat();
    expect(isTrusted(worker)).toBe(true);
    await worker.deregister();
  });

  it('that starts after the step learns of it from workers that noticed it, even if they have ended', async () => {
    const before = heartbeat();
    await before.beat();
    await setForward('45 seconds');
    expect(await before.beat()).toMatchObject({ clockWasSetForward: true });
    const beside = heartbeat();
    await beside.beat();
    expect([isTrusted(before), isTrusted(beside)]).toEqual([false, false]);
    await before.deregister();
    await beside.deregister();
    // If the others have been silent for seconds, a worker is unsure of the clock, and so it is not the right one.
    const learnt = async (): Promise<boolean> => {
      const after = heartbeat();
      await after.beat();
      expect(isTrusted(after)).toBe(false);
      return after.clockLimit(1).getTime() > 0;
    };
    await eventually(learnt, (hasLearnt) => hasLearnt);
  });

  it('that starts just after the step waits until each other worker has noticed it or is dead', async () => {
    const before = heartbeat();
    await before.beat();
    await setForward('45 seconds');
    const beside = heartbeat();
    await beside.beat();
    expect(isTrusted(beside)).toBe(false);
    await before.beat();
    await beside.beat();
    expect(isTrusted(beside)).toBe(false);
  });

  it('removes no events that are old only since the step, whether it has noticed the step or not', async () => {
    const events = (): Promise<object[]> => stack.sql('SELECT id FROM events ORDER BY id');
    await stack.sql(
      `INSERT INTO events (public_id, merchant_id, kind, body, created_at) VALUES ('evt_young', $1, 'webhook.test', '{}', now())`,
      [merchant.id],
    );
    const before = await events();
    const worker = heartbeat();
    await worker.beat();
    await setForward('1 year');
    await removeOldEvents(worker);
    expect(await events()).toEqual(before);
    expect(await worker.beat()).toMatchObject({ clockWasSetForward: true });
    await removeOldEvents(worker);
    expect(await events()).toEqual(before);
    await setForward('-1 year');
  });

  it('removes the supplier’s callback that was old before the step, and none that is old only since the step', async () => {
    const received = (ago: string): Promise<object[]> =>
      stack.sql(
        `INSERT INTO supplier_callbacks (supplier_id, received_at, remote_address, verdict)
         SELECT id, pg_catalog.statement_timestamp() - $1::interval, '127.0.0.1', 'ping' FROM suppliers LIMIT 1`,
        [ago],
      );
    await received('91 days');
    await received('1 day');
    const worker = heartbeat();
    const callbacks = new SupplierCallbacksRepository(stack.database);
    const retention = new CallbackRetentionService(callbacks, worker, createLogger(stack.config, 'test'));
    const left = async (): Promise<number> => {
      await retention.removeOld(new AbortController().signal, 90);
      return (await stack.sql('SELECT FROM supplier_callbacks')).length;
    };
    await worker.beat();
    await setForward('1 year');
    expect(await left()).toBe(1);
    expect(await worker.beat()).toMatchObject({ clockWasSetForward: true });
    expect(await left()).toBe(1);
    await setForward('-1 year');
  });
});
