import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkerHeartbeatService } from '../../src/queues/worker-heartbeat.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { TaskRunner } from '../../src/maintenance/task-runner.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let workers: INestApplicationContext[];
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_MAX_IN_FLIGHT: '6' }, { worker: false });
  workers = [await stack.startWorker(), await stack.startWorker()];
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

/** Says how many calls the supplier may have in flight, each for as long as the test holds it. */
async function limitTo(maxInFlight: number | null): Promise<void> {
  const { url: baseUrl } = stack.supplier;
  const supplier = { code: 'fake', adapter: 'http', baseUrl, timeoutMs: 60_000, maxInFlight };
  await stack.api.get(SuppliersService).set(supplier);
}

/**
 * Has forty units bought.
 * @param wanted so many are being bought at once before the first call ends.
 * @param onCall when a call begins, and when it ends. @returns the most that were being bought at once.
 */
async function mostInFlight(wanted: number, onCall = (): unknown => undefined): Promise<number> {
  let now = 0;
  let most = 0;
  const reached = deferred<void>();
  const user = unique('player');
  stack.supplier.script(user, async ({ reference }) => {
    onCall();
    most = Math.max(most, ++now);
    if (now === wanted) reached.resolve();
    await reached.promise;
    await stack.sql('SELECT pg_sleep(0.02)');
    onCall();
    now--;
    return bought(reference);
  });
  const orders = await Promise.all(
    Array.from({ length: 8 }, () => stack.order(merchant, [{ sku, quantity: 5 }], user)),
  );
  for (const order of orders) await stack.orderWith(merchant, order.reference_id, 'completed');
  return most;
}

describe('A supplier that may have three calls in flight', () => {
  it('never has more, however many workers have units for it', async () => {
    await limitTo(3);
    expect(await mostInFlight(3)).toBe(3);
  });
});

describe('SUPPLIER_MAX_IN_FLIGHT', () => {
  const shares = (): number[] => workers.map((worker) => worker.get(WorkerHeartbeatService).shareOf(6));
  const sharesBecome = (wanted: number[]): Promise<number[]> =>
    eventually(shares, (now) => now.join() === wanted.join());

  it('is shared by the workers that live, so that a supplier has no more calls of all of them', async () => {
    await limitTo(null);
    // A worker whose heartbeat stood still for too long is rightly taken for dead: then that round says nothing.
    const { most } = await eventually(
      async () => {
        await sharesBecome([3, 3]);
        let areShared = true;
        const most = await mostInFlight(6, () => (areShared &&= shares().join() === '3,3'));
        return { most, areShared };
      },
      ({ areShared }) => areShared,
    );
    expect(most).toBe(6);
  });

  it('is shared anew among the workers that are left', async () => {
    const another = await stack.startWorker();
    await sharesBecome([2, 2]);
    await another.get(TaskRunner).beforeApplicationShutdown();
    await sharesBecome([3, 3]);
  });

  it('leaves each worker one call, however many there are', () => {
    expect(workers[0]?.get(WorkerHeartbeatService).shareOf(1)).toBe(1);
  });
});
