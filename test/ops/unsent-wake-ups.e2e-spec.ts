import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FULFILMENT_QUEUE } from '../../src/queues/queues.js';
import { RedisHealthService } from '../../src/queues/redis-health.service.js';
import { countWakeUps } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { Wire } from '../support/wire.js';

const log: string[] = [];
let wire: Wire;
let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  wire = await new Wire(process.env.TEST_REDIS_URL ?? '').listen();
  stack = await TestStack.start(
    { REDIS_URL: wire.url, LOG_LEVEL: 'debug' },
    { worker: false, logTo: { write: (line) => void log.push(line) } },
  );
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('1.00');
});

afterAll(async () => {
  await stack.close();
  await wire.close();
});

const redisIs = (state: 'up' | 'down'): Promise<boolean> =>
  eventually(
    () => stack.api.get(RedisHealthService).isUp,
    (isUp) => isUp === (state === 'up'),
  );

async function reconnect(): Promise<void> {
  wire.cut();
  await redisIs('down');
  wire.restore();
  await redisIs('up');
}

const wakeUps = (): Promise<number> => countWakeUps(stack, FULFILMENT_QUEUE);

describe('a wake-up', () => {
  it('is dropped while Redis is away, and does not reach it later', async () => {
    await redisIs('up');
    wire.cut();
    await redisIs('down');
    for (let n = 0; n < 3; n++) await stack.order(merchant, [{ sku }]);
    wire.restore();
    await redisIs('up');
    expect(await wakeUps()).toBe(0);
  });

  it('is given up if Redis is silent, and later ones are sent', async () => {
    log.length = 0;
    const isGivenUp = (): boolean => log.some((line) => line.includes('a wake-up was not sent'));
    const orderBesideSilence = async (): Promise<boolean> => {
      if (isGivenUp()) return true;
      await reconnect();
      wire.silence();
      await stack.order(merchant, [{ sku }]);
      await redisIs('down');
      return isGivenUp();
    };
    // Another order if the machine was so slow that Redis counted as away before the order.
    await eventually(orderBesideSilence, (seen) => seen);
    await reconnect();
    const before = await wakeUps();
    const orderAndLook = (): Promise<number> => stack.order(merchant, [{ sku }]).then(wakeUps);
    await eventually(orderAndLook, (count) => count > before);
  });
});
