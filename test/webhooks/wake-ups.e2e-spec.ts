import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WEBHOOKS_QUEUE } from '../../src/queues/queues.js';
import { countWakeUps } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { eventuallyWithoutSweeper } from '../support/locks.js';
import { TestStack } from '../support/stack.js';
import { Endpoints, Hooks } from './support.js';

let stack: TestStack;
let endpoints: Endpoints;
let hooks: Hooks;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ WEBHOOK_MAX_IN_FLIGHT: '1' });
  endpoints = await new Endpoints().listen();
  hooks = new Hooks(await stack.merchant());
  sku = await stack.product('1.00');
});

afterAll(async () => {
  await endpoints.close();
  await stack.close();
});

const wakeUps = (): Promise<number> => countWakeUps(stack, WEBHOOKS_QUEUE);

describe('a worker that ends an order', () => {
  it('delivers its webhook without a wake-up through Redis while it has a free slot', async () => {
    const webhooks: number[] = [];
    // A new webhook each time: its slot is free.
    const order = async (): Promise<void> => {
      const fresh = new Hooks(await stack.merchant());
      webhooks.push((await fresh.register(endpoints.add())).id);
      await stack.order(fresh.merchant, [{ sku }]);
    };
    const succeeded = `SELECT FROM webhook_deliveries WHERE webhook_id = ANY ($1) AND status = 'succeeded'`;
    await eventuallyWithoutSweeper(
      stack,
      order,
      () => stack.sql(succeeded, [webhooks]),
      ({ length }) => length > 0,
    );
    expect(await wakeUps()).toBe(0);
  });

  it('wakes all workers through Redis while it has none', async () => {
    const silent = endpoints.silent();
    await hooks.register(silent);
    await stack.order(hooks.merchant, [{ sku }]);
    await endpoints.arrived(silent);
    // Another order if the machine was so slow that the attempt had ended before the order.
    const orderAndLook = (): Promise<number> => stack.order(hooks.merchant, [{ sku }]).then(wakeUps);
    await eventually(orderAndLook, (count) => count > 0);
  });
});
