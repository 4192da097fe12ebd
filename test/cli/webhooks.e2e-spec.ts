import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { CommandLine } from './command-line.js';

interface Delivery {
  id: number;
  event_id: string;
  status: string;
  attempt_count: number;
  reference_id: string;
}

let stack: TestStack;
let receiver: WebhookReceiver;
let commandLine: CommandLine;
let merchant: TestMerchant;
let order: OrderBody;

beforeAll(async () => {
  receiver = await new WebhookReceiver().listen();
  receiver.answer('/hook', 500, 204);
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  merchant = await stack.merchant();
  await merchant.client.post('/v1/merchant-webhooks', { url: receiver.url('/hook'), max_retries: 0 });
  order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
  await deliveryWith('failed');
});

afterAll(async () => {
  await stack.close();
  await receiver.close();
});

/** Waits until the only delivery has the status. */
const deliveryWith = (status: string): Promise<object[]> =>
  eventually(
    () => stack.sql<{ status: string }>('SELECT status FROM webhook_deliveries'),
    (rows) => rows[0]?.status === status,
  );

describe('topup webhook', () => {
  it('lists deliveries, and replays failed ones with the same event', async () => {
    const list = (...options: string[]): Promise<Delivery[]> =>
      commandLine.json<Delivery[]>('webhook', 'deliveries', '--merchant', String(merchant.id), ...options);
    const [failed, none] = await Promise.all([list('--status', 'failed'), list('--status', 'succeeded')]);
    expect(none).toEqual([]);
    expect(failed).toMatchObject([{ status: 'failed', attempt_count: 1, reference_id: order.reference_id }]);

    const replay = ['webhook', 'replay', '--merchant', String(merchant.id), '--since'];
    expect(await commandLine.json(...replay, '2090-01-01')).toEqual({ replayed: 0 });
    expect(await commandLine.json(...replay, String(order.created_at))).toEqual({ replayed: 1 });
    await deliveryWith('succeeded');
    expect(await list()).toMatchObject([{ id: failed[0]?.id, status: 'succeeded', attempt_count: 2 }]);
    const [first, second] = receiver.at('/hook').map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(second).toEqual(first);
  });

  it('refuses an unknown merchant', async () => {
    expect(await commandLine.refused('webhook', 'deliveries', '--merchant', '99')).toMatch(/there is no merchant 99/);
  });

  it('is a part of the order’s history', async () => {
    await deliveryWith('succeeded');
    const { timeline } = await commandLine.json<{
      timeline: { at: string; event: string; unit?: string; detail?: string; process?: string }[];
    }>('order', 'show', order.reference_id);
    expect(timeline.map(({ event, unit, detail }) => [event, unit, detail])).toEqual([
      ['order.created', undefined, undefined],
      ['supplier.send', '1.1', expect.stringMatching(/^succeeded after \d+ ms$/)],
      ['order.completed', undefined, undefined],
      ['webhook.attempt', undefined, expect.stringMatching(/^webhook \d+, attempt 1: 500 after \d+ ms$/)],
      ['webhook.attempt', undefined, expect.stringMatching(/^webhook \d+, attempt 2: 204 after \d+ ms$/)],
    ]);
    expect(timeline[1]?.process).toMatch(/^worker@/);
    const times = timeline.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
  });
});
