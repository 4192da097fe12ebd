import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import type { AppError } from '../../src/core/errors.js';
import { CreateOrderDto } from '../../src/orders/create-order.dto.js';
import { OrderListQuery } from '../../src/orders/order-list.dto.js';
import { CreateWebhookDto, UpdateWebhookDto } from '../../src/webhooks/webhook-requests.dto.js';
import { accept } from '../../src/core/validation/accept.js';
import type { Class } from '../../src/core/validation/class.js';
import { Text } from '../../src/core/validation/rule.js';
import { toInstance, validate } from '../../src/core/validation/validation.pipe.js';

const SAMPLES: [shape: Class, body: Record<string, unknown>][] = [
  [
    CreateOrderDto,
    {
      reference_id: 'shop-1',
      user_id: 'player-1',
      items: [{ sku: 'A' }, { sku: 'B', quantity: 2 }],
      server_id: '2001',
      character_id: null,
    },
  ],
  [
    CreateWebhookDto,
    { url: 'https://shop.example/w', secret: 'sixteen-characters', events: ['order.failed'], max_retries: 3 },
  ],
  [
    UpdateWebhookDto,
    { status: 'inactive', events: ['order.completed'], retry_delay: 5, rotation_overlap: 60 },
  ],
  [OrderListQuery, { limit: '20', cursor: 'abc', status: 'pending', created_from: '2026-01-15T08:30:00Z' }],
];

const ODD: unknown[] = [
  undefined, null, true, 0, 1, 1.5, -1, 101, '', ' ', 'x', '.', '20', 'x'.repeat(300), '\u0000', '\ud800', [], {},
  [null], ['x'], [[]], [{}], [{ sku: 'A' }], [{ sku: 'A', quantity: 0 }], [{ sku: 'A', extra: 1 }], { sku: 'A' },
  ['order.failed', 'order.failed'], 'http://shop.example', '2026-02-30T00:00:00Z', { constructor: 1 },
  JSON.parse('[{"sku":"A","__proto__":{}}]') as unknown,
]; // prettier-ignore

/** The body as it is, with each member taken out or replaced by something odd, and with members that nobody knows. */
function variants(body: Record<string, unknown>): object[] {
  const names = [...Object.keys(body), 'extra', 'constructor', 'toString'];
  const changed = names.flatMap((name) => ODD.map((value) => ({ ...body, [name]: value })));
  const without = names.map((gone) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => name !== gone)),
  );
  const prototype = JSON.parse(`{"__proto__":{},${JSON.stringify(body).slice(1)}`) as object;
  return [body, {}, prototype, ...without, ...changed];
}

function byLibrary(shape: Class, value: object): object | null {
  try {
    return validate(shape, value);
  } catch {
    return null;
  }
}

describe('accepting a body without the libraries', () => {
  it.each(SAMPLES)('%p: accepts what they accept, as they do, and nothing else', (shape, body) => {
    expect(accept(shape, body)).toBeInstanceOf(shape);
    let refused = 0;
    for (const value of variants(body)) {
      const expected = byLibrary(shape, structuredClone(value));
      if (expected === null) refused++;
      expect([value, accept(shape, value)]).toEqual([value, expected]);
    }
    expect(refused).toBeGreaterThan(50);
  });

  it.each(SAMPLES)('%p: names the problems that they name', (shape, body) => {
    const detailsOf = (refuse: () => unknown): unknown => {
      try {
        return refuse();
      } catch (error) {
        return (error as AppError).details;
      }
    };
    for (const value of variants(body)) {
      const expected = detailsOf(() => validate(shape, structuredClone(value)));
      expect([value, detailsOf(() => toInstance(shape, value))]).toEqual([value, expected]);
    }
  });

  it('makes the elements of a list instances as well', () => {
    const order = accept(CreateOrderDto, SAMPLES[0]?.[1] ?? {});
    expect(order?.items.map(({ constructor }) => constructor.name)).toEqual([
      'CreateOrderItemDto',
      'CreateOrderItemDto',
    ]);
  });

  it('leaves a class with other rules than our own to the libraries', () => {
    class Foreign {
      @Text(1, 4) name!: string;
      @IsString() title!: string;
    }
    expect(accept(Foreign, { name: 'a', title: 'b' })).toBeNull();
    expect(validate(Foreign, { name: 'a', title: 'b' })).toBeInstanceOf(Foreign);
  });
});
