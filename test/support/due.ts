import { getQueueToken } from '@nestjs/bull';
import type { Queue } from 'bull';
import { WorkNotifier } from '../../src/queues/work-notifier.js';
import type { OrderBody, TestStack } from './stack.js';

/** Makes an order's waiting units due, and ends their quiet periods. Call it repeatedly: it leaves out units with a call in flight. */
export const makeDue = (stack: TestStack, { order_number }: Pick<OrderBody, 'order_number'>): Promise<object[]> =>
  stack.sql(
    `UPDATE order_units SET next_action_at = now(), last_sent_at = now() - interval '1 h'
     WHERE order_id = (SELECT id FROM orders WHERE order_number = $1) AND next_action_at > now() AND claimed_by IS NULL`,
    [order_number],
  );

/** Sends workers a wake-up for the units of every supplier. Call it repeatedly: a wake-up may get lost. */
export async function wakeWorkers(stack: TestStack): Promise<void> {
  const suppliers = await stack.sql<{ id: number }>('SELECT id FROM suppliers');
  stack.api.get(WorkNotifier).notifyFulfilment(suppliers.map(({ id }) => id));
}

/** How many wake-ups of a queue went through Redis so far: Bull numbers its jobs. */
export async function countWakeUps(stack: TestStack, queueName: string): Promise<number> {
  const queue = stack.api.get<Queue>(getQueueToken(queueName), { strict: false });
  return Number((await queue.client.get(queue.toKey('id'))) ?? 0);
}
