import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack } from '../support/stack.js';
import { Endpoints, Hooks } from '../webhooks/support.js';
import { handedOver, newPlayer, read, sellsCodes } from './handed-over.js';

interface Event {
  event: string;
  data: { items: Record<string, unknown>[] };
}

let stack: TestStack;
let endpoints: Endpoints;
let hooks: Hooks;
let card: string;

beforeAll(async () => {
  stack = await TestStack.start();
  endpoints = await new Endpoints().listen();
  card = await stack.product('35.00', { kind: 'code' });
});

beforeEach(async () => {
  hooks = new Hooks(await stack.merchant());
});

afterAll(() => closeWithBalancedBooks(stack, endpoints));

/** The body of the first received notification. */
const bodyAt = async (url: string): Promise<string> => (await endpoints.arrived(url))[0]?.body ?? '';

/** The same event without deliveries. */
function without(body: string): string {
  const event = JSON.parse(body) as Event;
  for (const item of event.data.items) delete item.deliveries;
  return JSON.stringify(event);
}

describe('a webhook', () => {
  it('gets codes only if it was created with include_deliveries; the rest of the body is the same', async () => {
    const [withCodes, withoutCodes] = [endpoints.add(), endpoints.add()];
    expect(await hooks.register(withCodes, { include_deliveries: true })).toMatchObject({
      include_deliveries: true,
    });
    expect(await hooks.register(withoutCodes)).toMatchObject({ include_deliveries: false });
    const player = newPlayer();
    const codeOf = sellsCodes(stack, player);
    const items = [{ sku: await stack.product() }, { sku: card, quantity: 2 }];
    const order = await stack.order(hooks.merchant, items, player);
    const [bodyWithCodes, bodyWithout] = [await bodyAt(withCodes), await bodyAt(withoutCodes)];
    expect(bodyWithout).not.toMatch(/CODE-|deliveries/);
    expect(bodyWithCodes).toContain(codeOf(`${order.order_number}.2.2`));
    expect(without(bodyWithCodes)).toBe(bodyWithout);
    const { items: shown } = await read(hooks.merchant, order);
    expect((JSON.parse(bodyWithCodes) as Event).data.items.map(({ deliveries }) => deliveries)).toEqual(
      shown.map(({ deliveries }) => deliveries),
    );
  });

  it('gets them again with each attempt, and its answers to these attempts are not stored', async () => {
    const echoing = endpoints.add((response, { body }, number) => {
      response.writeHead(number === 1 ? 500 : 200).end(body);
    });
    const { id } = await hooks.register(echoing, { include_deliveries: true });
    const player = newPlayer();
    sellsCodes(stack, player);
    await stack.order(hooks.merchant, [{ sku: card }], player);
    const [first, second] = await endpoints.arrived(echoing, 2);
    expect(first?.body).toMatch(/CODE-/);
    expect(second?.body).toBe(first?.body);
    const { attempts } = await hooks.newestIs(id, 'succeeded');
    expect(attempts).toMatchObject([
      { response_status: 500, response_body: null },
      { response_status: 200, response_body: null },
    ]);
  });

  it('gets the usual body for an order without deliveries, and its answers are stored', async () => {
    const [withCodes, withoutCodes] = [endpoints.answering(200), endpoints.answering(200)];
    const { id } = await hooks.register(withCodes, { include_deliveries: true });
    await hooks.register(withoutCodes);
    await stack.order(hooks.merchant, [{ sku: await stack.product() }]);
    expect(await bodyAt(withCodes)).toBe(await bodyAt(withoutCodes));
    expect((await hooks.newestIs(id, 'succeeded')).attempts).toMatchObject([{ response_body: 'as scripted' }]);
  });

  it('gets the codes of a partly completed order', async () => {
    const withCodes = endpoints.add();
    await hooks.register(withCodes, { include_deliveries: true });
    const player = newPlayer();
    stack.supplier.script(player, ({ reference }) =>
      reference.endsWith('.1') ? handedOver(reference, [{ code: 'PAID' }]) : refused(reference, 'OUT_OF_STOCK'),
    );
    await stack.order(hooks.merchant, [{ sku: card, quantity: 2 }], player);
    const { event, data } = JSON.parse(await bodyAt(withCodes)) as Event;
    expect(event).toBe('order.failed');
    expect(data.items).toMatchObject([{ deliveries: [{ unit: 1, code: 'PAID' }] }]);
  });

  it('can be changed to get them, and changed back', async () => {
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    for (const include_deliveries of [true, false]) {
      expect(await hooks.patch(id, { include_deliveries })).toMatchObject({ include_deliveries });
      const player = newPlayer();
      sellsCodes(stack, player);
      await stack.order(hooks.merchant, [{ sku: card }], player);
      const arrived = await endpoints.arrived(url, include_deliveries ? 1 : 2);
      expect(arrived.at(-1)?.body.includes('CODE-')).toBe(include_deliveries);
    }
  });
});
