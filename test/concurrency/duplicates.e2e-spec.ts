import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let otherApi: INestApplication;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  otherApi = await stack.startApi();
  await otherApi.get(SchemaService).whenReady();
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack, otherApi));

interface Request {
  reference_id: string;
  user_id: string;
  items: { sku: string; quantity: number }[];
}

const request = (members: Partial<Request> = {}): Request => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  items: [{ sku, quantity: 2 }],
  ...members,
});

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The merchant's clients of both API processes. */
const bothOf = (merchant: TestMerchant): [Client, Client] => [
  merchant.client,
  new Client(stack.urlOf(otherApi), merchant.key),
];

const post = (client: Client, body: Request): Promise<Answer<OrderBody>> => client.post<OrderBody>('/v1/orders', body);

const count = (answers: Answer<unknown>[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

/** Expects that so many accepted requests placed an order, and the others were replays. */
function expectMade(orders: number, answers: Answer<OrderBody>[]): void {
  const makers = answers.filter(
    ({ status, headers }) => status === 200 && headers.get('idempotent-replayed') !== 'true',
  );
  expect(makers.length).toBeLessThanOrEqual(orders);
  // A client whose request placed an order may lose the answer, repeat the request, and get a replay.
  if (!answers.some(({ isRepeated }) => isRepeated)) expect(makers).toHaveLength(orders);
}

const orderNumbers = (answers: Answer<OrderBody>[]): string[] => [
  ...new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.order_number)),
];

describe('fifty identical requests at once', () => {
  it.each([
    ['one API process', 1],
    ['two API processes', 2],
  ])(
    'sent to %s place one order with one charge, and every caller gets its order_number',
    async (_where, processes) => {
      const merchant = await stack.merchant('1000.00');
      const clients = bothOf(merchant).slice(0, processes);
      const body = request();
      const answers = await Promise.all(times(50, (index) => post(clients[index % processes] as Client, body)));
      expect(count(answers, 200)).toBe(50);
      expect(orderNumbers(answers)).toHaveLength(1);
      expectMade(1, answers);
      await stack.orderWith(merchant, body.reference_id, 'completed');
      expect(await stack.wallet(merchant)).toEqual({ available: '930.00', held: '0.00' });
      expect(stack.supplier.about(orderNumbers(answers)[0] ?? '')).toHaveLength(2);
    },
  );

  it('are all accepted if the wallet has enough for exactly one', async () => {
    const merchant = await stack.merchant('70.00');
    const body = request();
    const answers = await Promise.all(times(50, (index) => post(bothOf(merchant)[index % 2] as Client, body)));
    expect(count(answers, 200)).toBe(50);
    expect(orderNumbers(answers)).toHaveLength(1);
    expect((await stack.wallet(merchant)).available).toBe('0.00');
  });

  it('are all refused if the wallet has too little, and leave the reference unused', async () => {
    const merchant = await stack.merchant('69.99');
    const body = request();
    const answers = await Promise.all(times(50, () => post(merchant.client, body)));
    expect(count(answers, 503)).toBe(50);
    await stack.credit(merchant.id, '0.01');
    const placed = await post(merchant.client, body);
    expect(placed.status).toBe(200);
    expectMade(1, [placed]);
  });

  it('of two merchants under one reference make an order for each', async () => {
    const merchants = [await stack.merchant('1000.00'), await stack.merchant('1000.00')];
    const body = request();
    const answers = await Promise.all(times(50, (index) => post(merchants[index % 2]?.client as Client, body)));
    expect(orderNumbers(answers)).toHaveLength(2);
    for (const merchant of merchants) expect((await stack.wallet(merchant)).available).toBe('930.00');
  });
});

describe('identical and different contents racing for one reference', () => {
  it('have one winner: its duplicates replay it, all others are refused', async () => {
    const merchant = await stack.merchant('100000.00');
    const reference_id = unique('order');
    const contents = times(5, (index) => request({ reference_id, user_id: `player-${index}` }));
    const asked = times(60, (index) => contents[index % contents.length] as Request);
    const answers = await Promise.all(asked.map((body, index) => post(bothOf(merchant)[index % 2] as Client, body)));
    expect(orderNumbers(answers)).toHaveLength(1);
    expect(count(answers, 200)).toBe(12);
    expectMade(1, answers);
    expect(count(answers, 409)).toBe(48);
    const winner = answers.find(({ status }) => status === 200)?.body.user_id;
    answers.forEach(({ status }, index) => expect(status).toBe(asked[index]?.user_id === winner ? 200 : 409));
    expect((await stack.wallet(merchant)).available).toBe('99930.00');
  });

  it('are never won by content that is refused', async () => {
    const merchant = await stack.merchant('70.00');
    const good = request();
    const bad: Request[] = [
      { ...good, items: [{ sku, quantity: 3 }] },
      { ...good, items: [{ sku: 'UNKNOWN', quantity: 1 }] },
    ];
    const asked = times(45, (index) => [good, ...bad][index % 3] as Request);
    const answers = await Promise.all(asked.map((body) => post(merchant.client, body)));
    answers.forEach(({ status }, index) => {
      const allowed = [[200], [409, 503], [409, 400]][index % 3];
      expect(allowed).toContain(status);
    });
    expect(orderNumbers(answers)).toHaveLength(1);
  });
});

describe('many references at once, each sent several times', () => {
  it('make one order for each', async () => {
    const merchant = await stack.merchant('100000.00');
    const bodies = times(25, () => request({ items: [{ sku, quantity: 1 }] }));
    const asked = times(200, (index) => bodies[index % bodies.length] as Request);
    const answers = await Promise.all(asked.map((body, index) => post(bothOf(merchant)[index % 2] as Client, body)));
    expect(count(answers, 200)).toBe(200);
    expectMade(25, answers);
    expect(orderNumbers(answers)).toHaveLength(25);
    answers.forEach(({ body }, index) => expect(body.reference_id).toBe(asked[index]?.reference_id));
    expect((await stack.wallet(merchant)).available).toBe('99125.00');
  });
});
