import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkerHeartbeat } from '../../src/queues/worker-heartbeat.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { OverdueSweeper } from '../../src/maintenance/overdue-sweeper.js';
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
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

describe('A supplier that may have three calls in flight', () => {
  it('never has more, however many workers have units for it', async () => {
    const { url: baseUrl } = stack.supplier;
    await stack.api.get(SuppliersService).set({ code: 'fake', adapter: 'http', baseUrl, maxInFlight: 3 });
    let now = 0;
    let most = 0;
    const user = unique('player');
    stack.supplier.script(user, async ({ reference }) => {
      most = Math.max(most, ++now);
      await stack.sql('SELECT pg_sleep(0.02)');
      now--;
      return bought(reference);
    });
    const orders = await Promise.all(
      Array.from({ length: 8 }, () => stack.order(merchant, [{ sku, quantity: 5 }], user)),
    );
    for (const order of orders) await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(most).toBe(3);
  });
});

describe('SUPPLIER_MAX_IN_FLIGHT', () => {
  const shares = (): number[] => workers.map((worker) => worker.get(WorkerHeartbeat).shareOf(6));
  const sharesBecome = (wanted: number[]): Promise<number[]> =>
    eventually(shares, (now) => now.join() === wanted.join());

  it('is shared by the workers that live, so that a supplier has no more calls of all of them', async () => {
    const { url: baseUrl } = stack.supplier;
    await stack.api.get(SuppliersService).set({ code: 'fake', adapter: 'http', baseUrl, maxInFlight: null });
    await sharesBecome([3, 3]);
    let now = 0;
    let most = 0;
    const begun = deferred<void>();
    const user = unique('player');
    stack.supplier.script(user, async ({ reference }) => {
      most = Math.max(most, ++now);
      if (now === 6) begun.resolve();
      await begun.promise;
      await stack.sql('SELECT pg_sleep(0.02)');
      now--;
      return bought(reference);
    });
    const orders = await Promise.all(
      Array.from({ length: 8 }, () => stack.order(merchant, [{ sku, quantity: 5 }], user)),
    );
    for (const order of orders) await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(most).toBe(6);
  });

  it('is all of the worker that is left', async () => {
    await workers[1]?.get(OverdueSweeper).beforeApplicationShutdown();
    await eventually(
      () => shares()[0],
      (share) => share === 6,
    );
  });

  it('leaves each worker one call, however many there are', () => {
    expect(workers[0]?.get(WorkerHeartbeat).shareOf(1)).toBe(1);
  });
});
