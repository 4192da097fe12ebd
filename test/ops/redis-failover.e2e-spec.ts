import { afterEach, describe, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { buyWoken } from '../support/locks.js';
import { startClusterGroup, startSentinelGroup, type RedisGroup } from '../support/redis-groups.js';
import { TestStack, unique } from '../support/stack.js';
import { openManagementPort } from './management.js';

const ORDERS = 5;

let group: RedisGroup | undefined;
let stack: TestStack | undefined;

afterEach(async () => {
  if (stack) await closeWithBalancedBooks(stack);
  await group?.stop();
  [stack, group] = [undefined, undefined];
});

describe.each([
  ['A Redis that sentinels watch', startSentinelGroup],
  ['A Redis cluster', startClusterGroup],
])('%s', (_what, start) => {
  it('wakes workers, also after the server with the queues was lost', async () => {
    const prefix = `{${unique('topup')}}`;
    group = await start(prefix);
    const opened = (stack = await TestStack.start({ REDIS_URL: group.url, QUEUE_PREFIX: prefix }));
    const management = await openManagementPort(opened.api);
    const merchant = await opened.merchant('1000.00');
    const sku = await opened.product('35.00');
    const redis = async (): Promise<string> =>
      ((await (await fetch(`${management}/readyz`)).json()) as { redis: string }).redis;
    const buy = async (): Promise<void> => {
      const order = await opened.order(merchant, [{ sku }]);
      await opened.orderWith(merchant, order.reference_id, 'completed');
    };
    const buySomeWoken = async (): Promise<void> => {
      for (let n = 0; n < ORDERS; n++) await buyWoken(opened, merchant, sku);
    };

    await eventually(redis, (state) => state === 'up');
    await buySomeWoken();
    await group.lose(prefix);
    await eventually(redis, (state) => state === 'down');
    // Meanwhile, workers find orders without Redis.
    await buy();
    await group.failOver();
    await eventually(redis, (state) => state === 'up');
    await buySomeWoken();
  });
});
