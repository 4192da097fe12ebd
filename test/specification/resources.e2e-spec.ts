import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { AMOUNT, expectSince, MOMENT, ORDER_NUMBER } from '../support/expectations.js';
import { bought, refused, type Answer } from '../support/fake-supplier.js';
import { untilNotRepeated } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

/** A full request, so that no optional member is absent. */
const request = (members: object = {}): object => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  server_id: '2001',
  character_id: 'Knight',
  items: [{ sku, quantity: 2 }],
  ...members,
});

const place = async (members: object = {}): Promise<OrderBody> =>
  (await untilNotRepeated(() => merchant.client.post<OrderBody>('/v1/orders', request(members)))).body;

const orderMembers = {
  order_number: expect.stringMatching(ORDER_NUMBER),
  reference_id: expect.any(String),
  user_id: expect.any(String),
  server_id: expect.any(String),
  character_id: expect.any(String),
  status: expect.stringMatching(/^(pending|processing|completed|failed)$/),
  subtotal_amount: expect.stringMatching(AMOUNT),
  discount_amount: expect.stringMatching(AMOUNT),
  total_amount: expect.stringMatching(AMOUNT),
  source_type: 'api',
  created_by: { id: 0, name: 'API' },
  created_at: expect.stringMatching(MOMENT),
  updated_at: expect.stringMatching(MOMENT),
  metadata: {},
  failure_code: null as unknown,
  failure_message: null as unknown,
  items: expect.any(Array),
};

const itemMembers = {
  sku: expect.any(String),
  quantity: expect.any(Number),
  completed_quantity: expect.any(Number),
  failed_quantity: expect.any(Number),
  status: expect.stringMatching(/^(pending|processing|completed|failed)$/),
  subtotal_amount: expect.stringMatching(AMOUNT),
  discount_amount: expect.stringMatching(AMOUNT),
  total_amount: expect.stringMatching(AMOUNT),
  failure_code: null as unknown,
  failure_message: null as unknown,
};

describe('1 What the service does', () => {
  it('lets a merchant order by SKU for a recipient, and processes the order by itself', async () => {
    const order = await place({ user_id: 'player-7', server_id: '2001', character_id: 'Mage' });
    expect(order).toMatchObject({
      user_id: 'player-7',
      server_id: '2001',
      character_id: 'Mage',
      status: 'pending',
    });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const sent = stack.supplier
      .about(order.order_number)
      .filter(({ kind }) => kind === 'send')
      .map(({ body }) => body);
    const unit = { sku, user_id: 'player-7', server_id: '2001', character_id: 'Mage' };
    expect(sent).toEqual(expect.arrayContaining([expect.objectContaining(unit)]));
    expect(sent).toHaveLength(2);
  });

  it('pays orders from the merchant’s wallet, in THB', async () => {
    const payer = await stack.merchant('100.00');
    await stack.order(payer, [{ sku, quantity: 2 }]);
    const { body } = await payer.client.get<{ currency: string }>('/v1/wallet');
    expect(body).toMatchObject({ currency: 'THB', available_amount: '30.00' });
  });
});

describe('2.1 Order', () => {
  it('has exactly the members of the table when it is created', async () => {
    const order = await place();
    expect(order).toStrictEqual(orderMembers);
    expect(order.status).toBe('pending');
    expect(order.items).toHaveLength(1);
  });

  it('has exactly the members of the table when it is looked up, completed', async () => {
    const { reference_id } = await place();
    expect(await stack.orderWith(merchant, reference_id, 'completed')).toStrictEqual(orderMembers);
  });

  it('has exactly the members of the table when it failed, with failure_code and failure_message as text', async () => {
    stack.supplier.script('out', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const { reference_id } = await place({ user_id: 'out' });
    expect(await stack.orderWith(merchant, reference_id, 'failed')).toStrictEqual({
      ...orderMembers,
      failure_code: 'OUT_OF_STOCK',
      failure_message: expect.stringMatching(/\S/),
    });
  });

  it('echoes what the merchant supplied', async () => {
    const reference_id = unique('Shop/ä ๑');
    const order = await place({ reference_id, user_id: 'ผู้เล่น', server_id: ' 2001 ', character_id: '😀' });
    expect(order).toMatchObject({ reference_id, user_id: 'ผู้เล่น', server_id: ' 2001 ', character_id: '😀' });
  });

  it('has null for a missing server and character', async () => {
    const order = await place({ server_id: undefined, character_id: undefined });
    expect(order).toMatchObject({ server_id: null, character_id: null });
  });

  it('gives every order a unique number', async () => {
    const orders = await Promise.all(Array.from({ length: 10 }, () => place()));
    expect(new Set(orders.map(({ order_number }) => order_number)).size).toBe(10);
  });

  it('has the sums of its items; its total is the subtotal less the discount', async () => {
    const other = await stack.product('12.34');
    const items = [
      { sku, quantity: 2 },
      { sku: other, quantity: 3 },
    ];
    const order = await place({ items });
    expect(order).toMatchObject({
      subtotal_amount: '107.02',
      discount_amount: '0.00',
      total_amount: '107.02',
    });
  });

  it('keeps created_at, and changes updated_at with its status', async () => {
    const before = Date.now();
    const order = await place();
    expectSince(before, Date.parse(String(order.created_at)));
    expect(order.updated_at).toBe(order.created_at);
    const completed = await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(completed.created_at).toBe(order.created_at);
    expect(completed.updated_at > order.updated_at).toBe(true);
  });
});

describe('2.2 Order item', () => {
  it('has exactly the members of the table, and starts pending with nothing completed and nothing failed', async () => {
    const { items } = await place();
    expect(items).toStrictEqual([
      { ...itemMembers, sku, quantity: 2, completed_quantity: 0, failed_quantity: 0, status: 'pending' },
    ]);
  });

  it('has exactly the members of the table when it is completed, its quantity topped up', async () => {
    const { reference_id } = await place();
    const { items } = await stack.orderWith(merchant, reference_id, 'completed');
    const completed = { quantity: 2, completed_quantity: 2, failed_quantity: 0, status: 'completed' };
    expect(items).toStrictEqual([{ ...itemMembers, sku, ...completed }]);
  });

  it('has exactly the members of the table when it failed, with its failure in code and words', async () => {
    stack.supplier.script('gone', ({ reference }) => refused(reference, 'INVALID_PLAYER', 'No such player'));
    const { reference_id } = await place({ user_id: 'gone' });
    const { items } = await stack.orderWith(merchant, reference_id, 'failed');
    const failure = { failure_code: 'INVALID_PLAYER', failure_message: 'No such player' };
    const failed = { quantity: 2, completed_quantity: 0, failed_quantity: 2, status: 'failed', ...failure };
    expect(items).toStrictEqual([{ ...itemMembers, sku, ...failed }]);
  });

  it('has quantity 1 when none was ordered', async () => {
    const { items } = await place({ items: [{ sku }] });
    expect(items).toMatchObject([{ quantity: 1 }]);
  });

  it('stays at its position in the request', async () => {
    const skus = await Promise.all([stack.product('1.00'), stack.product('2.00'), stack.product('3.00')]);
    const asked = [skus[2], skus[0], skus[1]].map((each) => ({ sku: each }));
    const order = await place({ items: asked });
    expect(order.items.map((item) => ({ sku: (item as unknown as { sku: string }).sku }))).toEqual(asked);
  });

  it('prices a line by its quantity', async () => {
    const { items } = await place({ items: [{ sku, quantity: 3 }] });
    expect(items).toMatchObject([{ subtotal_amount: '105.00', discount_amount: '0.00', total_amount: '105.00' }]);
  });
});

describe('3.1 Order status', () => {
  /** Makes the supplier answer a user's unit only after the returned function is called. */
  function gate(userId: string, answer: (reference: string) => Answer): () => void {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    stack.supplier.script(userId, async ({ reference }) => {
      await opened;
      return answer(reference);
    });
    return open;
  }

  it('is pending after POST /v1/orders', async () => {
    expect((await place()).status).toBe('pending');
  });

  it('is processing while it is being processed, with neither a failure nor anything completed', async () => {
    const open = gate('slow', bought);
    const { reference_id } = await place({ user_id: 'slow' });
    const processing = await stack.orderWith(merchant, reference_id, 'processing');
    expect(processing).toStrictEqual(orderMembers);
    expect(processing.items).toMatchObject([{ completed_quantity: 0, failed_quantity: 0, failure_code: null }]);
    open();
    expect((await stack.orderWith(merchant, reference_id, 'completed')).status).toBe('completed');
  });

  it('is failed once its units have failed, and the order has a failure', async () => {
    const open = gate('slow-failure', (reference) => refused(reference, 'LIMIT_EXCEEDED'));
    const { reference_id } = await place({ user_id: 'slow-failure' });
    await stack.orderWith(merchant, reference_id, 'processing');
    open();
    const failed = await stack.orderWith(merchant, reference_id, 'failed');
    expect(failed.failure_code).toBe('LIMIT_EXCEEDED');
    expect(failed.failure_message).toMatch(/\S/);
  });

  it.each(['completed', 'failed'])('never leaves %s again', async (ending) => {
    stack.supplier.script('ends-failed', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const { reference_id } = await place({ user_id: `ends-${ending}` });
    const ended = await stack.orderWith(merchant, reference_id, ending);
    const other = await place();
    await stack.orderWith(merchant, other.reference_id, 'completed');
    expect(await stack.orderWith(merchant, reference_id, ending)).toEqual(ended);
  });
});
