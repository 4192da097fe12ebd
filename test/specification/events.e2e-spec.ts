import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver, type Received } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  sku = await stack.product('35.00');
  stack.supplier.script('out', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

interface Hook {
  id: number;
  path: string;
}

/** Registers a new endpoint for the merchant. */
async function register(members: object = {}, owner = merchant): Promise<Hook> {
  const path = `/${unique('hook')}`;
  const request = { url: receiver.url(path), retry_delay: 1, ...members };
  const { status, body } = await owner.client.post<{ id: number }>('/v1/merchant-webhooks', request);
  expect(status).toBe(201);
  return { id: body.id, path };
}

const asNewMerchant = async (): Promise<void> => void (merchant = await stack.merchant());

async function completedOrder(): Promise<OrderBody> {
  const { reference_id } = await stack.order(merchant, [{ sku }]);
  return stack.orderWith(merchant, reference_id, 'completed');
}

async function failedOrder(): Promise<OrderBody> {
  const { reference_id } = await stack.order(merchant, [{ sku }], 'out');
  return stack.orderWith(merchant, reference_id, 'failed');
}

const arrived = (hook: Hook, count = 1): Promise<Received[]> =>
  eventually(
    () => receiver.at(hook.path),
    (received) => received.length >= count,
  );

interface Delivery {
  status: string;
  event: string;
  reference_id: string;
  attempt_count: number;
  next_attempt_at: string | null;
  updated_at: string;
}

/** The webhook's deliveries, once the check passes. By then an unwanted delivery would have arrived, too. */
const deliveries = (hook: Hook, passes: (deliveries: Delivery[]) => boolean): Promise<Delivery[]> =>
  eventually(async () => {
    const path = `/v1/merchant-webhooks/${hook.id}/deliveries`;
    return (await merchant.client.get<{ data: Delivery[] }>(path)).body.data;
  }, passes);

const eventOf = ({ body }: Received): { event: string; data: OrderBody } =>
  JSON.parse(body) as { event: string; data: OrderBody };

describe('6 Events: kinds', () => {
  beforeAll(asNewMerchant);

  it('order.completed when an order reached completed', async () => {
    const hook = await register();
    const order = await completedOrder();
    const [received] = await arrived(hook);
    expect(received && eventOf(received)).toMatchObject({ event: 'order.completed', data: order });
    expect(await deliveries(hook, ([first]) => first?.status === 'succeeded')).toHaveLength(1);
  });

  it('order.failed when an order reached failed', async () => {
    const hook = await register();
    const order = await failedOrder();
    const [received] = await arrived(hook);
    expect(received && eventOf(received)).toMatchObject({ event: 'order.failed', data: order });
    expect(order.failure_code).toBe('OUT_OF_STOCK');
  });

  it('nothing while the order is pending or processing', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    stack.supplier.script('slow', async ({ reference }) => {
      await answered;
      return refused(reference, 'OUT_OF_STOCK');
    });
    const hook = await register();
    const { reference_id } = await stack.order(merchant, [{ sku }], 'slow');
    await stack.orderWith(merchant, reference_id, 'processing');
    expect(await deliveries(hook, () => true)).toEqual([]);
    answer();
    await arrived(hook);
    expect(await deliveries(hook, ([first]) => first?.status === 'succeeded')).toHaveLength(1);
  });
});

describe('6.1 Events: who is notified', () => {
  beforeAll(asNewMerchant);

  it('each webhook whose events contain the kind, and no other', async () => {
    const [both, completed, failed] = await Promise.all([
      register(),
      register({ events: ['order.completed'] }),
      register({ events: ['order.failed'] }),
    ]);
    await completedOrder();
    await failedOrder();
    await arrived(both, 2);
    const kinds = async (hook: Hook, count: number): Promise<string[]> =>
      (await deliveries(hook, (all) => all.length === count && all.every(({ status }) => status === 'succeeded'))).map(
        ({ event }) => event,
      );
    expect((await kinds(both, 2)).sort()).toEqual(['order.completed', 'order.failed']);
    expect(await kinds(completed, 1)).toEqual(['order.completed']);
    expect(await kinds(failed, 1)).toEqual(['order.failed']);
    expect(receiver.at(completed.path).map((each) => eventOf(each).event)).toEqual(['order.completed']);
    expect(receiver.at(failed.path).map((each) => eventOf(each).event)).toEqual(['order.failed']);
  });

  it('no webhook while it is inactive, but again once it is active', async () => {
    const [witness, hook] = await Promise.all([register(), register()]);
    const setStatus = async (status: string): Promise<void> =>
      void (await merchant.client.patch(`/v1/merchant-webhooks/${hook.id}`, { status }));
    await setStatus('inactive');
    await completedOrder();
    await arrived(witness);
    expect(await deliveries(hook, () => true)).toEqual([]);
    await setStatus('active');
    const order = await completedOrder();
    const [first] = await arrived(hook);
    expect(first && eventOf(first).data.reference_id).toBe(order.reference_id);
    expect(receiver.at(hook.path)).toHaveLength(1);
  });

  it('no webhook that was deleted', async () => {
    const [witness, hook] = await Promise.all([register(), register()]);
    await merchant.client.delete(`/v1/merchant-webhooks/${hook.id}`);
    await completedOrder();
    await arrived(witness);
    expect(await stack.sql('SELECT id FROM webhook_deliveries WHERE webhook_id = $1', [hook.id])).toEqual([]);
    expect(receiver.at(hook.path)).toEqual([]);
  });

  it('no webhook of another merchant', async () => {
    const other = await register({}, await stack.merchant());
    const own = await register();
    await completedOrder();
    await arrived(own);
    expect(await stack.sql('SELECT id FROM webhook_deliveries WHERE webhook_id = $1', [other.id])).toEqual([]);
    expect(receiver.at(other.path)).toEqual([]);
  });
});

describe('6.2 Events: retries', () => {
  beforeAll(asNewMerchant);

  it.each([0, 1, 2])('a delivery that keeps failing is retried %i times, and then not again', async (max_retries) => {
    const hook = await register({ max_retries });
    receiver.answer(hook.path, 500);
    await completedOrder();
    const [delivery] = await deliveries(hook, ([first]) => first?.status === 'failed');
    expect(delivery).toMatchObject({ attempt_count: 1 + max_retries, next_attempt_at: null });
    expect(receiver.at(hook.path)).toHaveLength(1 + max_retries);
  });

  it('retry_delay seconds lie between the attempts, and every attempt sends the same bytes', async () => {
    const hook = await register({ max_retries: 2, retry_delay: 1 });
    receiver.answer(hook.path, 503);
    await completedOrder();
    const tries = await arrived(hook, 3);
    const gapsMs = tries.slice(1).map((each, index) => each.atMs - (tries[index]?.atMs ?? 0));
    for (const gapMs of gapsMs) expect(gapMs).toBeGreaterThanOrEqual(990);
    expect(new Set(tries.map(({ body }) => body)).size).toBe(1);
    expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('a retry that succeeds is the last', async () => {
    const hook = await register({ max_retries: 3 });
    receiver.answer(hook.path, 500, 200);
    await completedOrder();
    const [delivery] = await deliveries(hook, ([first]) => first?.status === 'succeeded');
    expect(delivery).toMatchObject({ attempt_count: 2, next_attempt_at: null });
    expect(receiver.at(hook.path)).toHaveLength(2);
  });

  it('a webhook that was created without settings waits 60 seconds before the first of 3 retries', async () => {
    const hook = await register({ retry_delay: undefined });
    receiver.answer(hook.path, 500);
    await completedOrder();
    const [delivery] = await deliveries(
      hook,
      ([first]) => first?.attempt_count === 1 && first.next_attempt_at !== null,
    );
    const waitMs = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.updated_at ?? '');
    expect(delivery?.status).toBe('pending');
    expect(Math.round(waitMs / 1_000)).toBe(60);
  });
});

describe('6.3 and 6.4 Events: signatures, and several URLs', () => {
  beforeAll(asNewMerchant);

  it('each URL receives the event, signed with the secret of its own webhook', async () => {
    const secrets = ['the first secret of three', 'the second secret of three', 'whsec_c2VjcmV0LW9mLXRoZS1zaG9wLTAx'];
    const hooks = await Promise.all(secrets.map((secret) => register({ secret })));
    const order = await completedOrder();
    for (const [index, hook] of hooks.entries()) {
      const [received] = await arrived(hook);
      const secret = secrets[index] ?? '';
      const verifier = new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' });
      expect(verifier.verify(received?.body ?? '', received?.headers ?? {})).toMatchObject({ data: order });
      expect(receiver.at(hook.path)).toHaveLength(1);
    }
  });

  it('a secret that was replaced signs the next delivery', async () => {
    const hook = await register({ secret: 'the secret of before' });
    await merchant.client.patch(`/v1/merchant-webhooks/${hook.id}`, { secret: 'the secret of after' });
    await completedOrder();
    const [{ body, headers } = { body: '', headers: {} }] = await arrived(hook);
    const verify = (secret: string): unknown => new Webhook(secret, { format: 'raw' }).verify(body, headers);
    expect(() => verify('the secret of before')).toThrow();
    expect(verify('the secret of after')).toMatchObject({ event: 'order.completed' });
  });
});
