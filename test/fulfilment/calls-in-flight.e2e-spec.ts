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

/** Limits the calls in flight at the supplier. Its timeout is longer than a test holds a call. */
async function limitTo(maxInFlight: number | null): Promise<void> {
  const { url: baseUrl } = stack.supplier;
  const supplier = { code: 'fake', adapter: 'http', baseUrl, timeoutMs: 60_000, maxInFlight };
  await stack.api.get(SuppliersService).set(supplier);
}

/**
 * Has forty units bought.
 * @param wanted how many calls must be in flight before the first one ends.
 * @param onCall is called when a call begins, and when it ends. @returns the highest number of calls in flight.
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
  it('never has more, although several workers have units for it', async () => {
    await limitTo(3);
    expect(await mostInFlight(3)).toBe(3);
  });
});

describe('SUPPLIER_MAX_IN_FLIGHT', () => {
  const shares = (): number[] => workers.map((worker) => worker.get(WorkerHeartbeatService).shareOf(6));
  const sharesBecome = (wanted: number[]): Promise<number[]> =>
    eventually(shares, (now) => now.join() === wanted.join());

  it('is divided among the live workers, so that their calls together do not exceed it', async () => {
    await limitTo(null);
    // The others rightly take a worker without a heartbeat for dead. Such a round is repeated.
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

  it('is divided again when a worker ends', async () => {
    const another = await stack.startWorker();
    await sharesBecome([2, 2]);
    await another.get(TaskRunner).beforeApplicationShutdown();
    await sharesBecome([3, 3]);
  });

  it('gives each worker at least one call, even if there are more workers than calls', () => {
    expect(workers[0]?.get(WorkerHeartbeatService).shareOf(1)).toBe(1);
  });
});
