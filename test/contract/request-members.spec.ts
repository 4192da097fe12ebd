import { describe, expect, it } from '@jest/globals';
import type { AppError } from '../../src/core/errors.js';
import { readMembers } from '../../src/core/validation/read-members.js';
import type { Class } from '../../src/core/validation/rule.js';
import { CreateDepositDto, DepositListQuery, PresentSlipDto } from '../../src/deposits/deposit-requests.dto.js';
import { CreateOrderDto, CreateOrderItemDto, OrderListQuery } from '../../src/orders/order-requests.dto.js';
import { EventListQuery } from '../../src/events/event.dto.js';
import { SandboxCreditDto } from '../../src/wallet/wallet.dto.js';
import { DeliveryListQuery } from '../../src/webhooks/delivery.dto.js';
import { CreateWebhookDto, UpdateWebhookDto } from '../../src/webhooks/webhook-requests.dto.js';

/** The values to try for each member, by the names that the table below uses. */
const VALUES: Record<string, unknown> = {
  absent: undefined,
  null: null,
  true: true,
  zero: 0,
  one: 1,
  half: 1.5,
  minusOne: -1,
  hundredOne: 101,
  empty: '',
  space: ' ',
  x: 'x',
  dot: '.',
  digits: '20',
  long: 'x'.repeat(300),
  nul: '\u0000',
  surrogate: '\ud800',
  url: 'http://shop.example',
  noDate: '2026-02-30T00:00:00Z',
  list: [],
  nulls: [null],
  texts: ['x'],
  lists: [[]],
  objects: [{}],
  twice: ['order.failed', 'order.failed'],
  item: [{ sku: 'A' }],
  itemOfNone: [{ sku: 'A', quantity: 0 }],
  itemWithMore: [{ sku: 'A', extra: 1 }],
  itemWithPrototype: JSON.parse('[{"sku":"A","__proto__":{}}]') as unknown,
  object: {},
  noList: { sku: 'A' },
  inherited: { constructor: 1 },
};

const TAKEN = 'taken';
const REQUIRED = 'REQUIRED is required';

/** For each value, its problem or `taken`. Several names are separated by blanks; `others` means all names without an entry. */
type Problems = Record<string, string>;

/** A required member, with its further problems. */
const required = (problems: Problems): Problems => ({ 'absent null': REQUIRED, ...problems });
/** One that may be left out, but not null. */
const optional = (problems: Problems): Problems => ({ absent: TAKEN, null: 'REQUIRED must not be null', ...problems });
/** One that may be left out, or null. */
const nullable = (problems: Problems): Problems => ({ 'absent null': TAKEN, ...problems });

const text: Problems = {
  others: 'INVALID_TYPE must be a string',
  nul: 'INVALID_VALUE must not contain control characters',
  surrogate: 'INVALID_VALUE must be well-formed Unicode',
};
const shortText: Problems = {
  ...text,
  'x dot digits url noDate': TAKEN,
  'empty long': 'INVALID_VALUE must have 1 to 128 characters',
  space: 'INVALID_VALUE must not be blank',
};
const secret: Problems = {
  ...text,
  'url noDate': TAKEN,
  'empty space x dot digits long': 'INVALID_VALUE must have 16 to 255 characters',
};
const address: Problems = {
  ...text,
  url: TAKEN,
  'empty space x dot digits long nul noDate': 'INVALID_VALUE must be an absolute http or https URL',
  surrogate: 'INVALID_VALUE must be an absolute http or https URL of at most 2048 characters',
};
const flag: Problems = { others: 'INVALID_TYPE must be true or false', true: TAKEN };
const integer = (minimum: number, maximum: number, taken: string, tooFar: string): Problems => ({
  others: `INVALID_TYPE must be an integer from ${minimum} to ${maximum}`,
  [taken]: TAKEN,
  [tooFar]: `OUT_OF_RANGE must be an integer from ${minimum} to ${maximum}`,
});
const oneOf = (values: string): Problems => ({ others: `INVALID_VALUE must be one of ${values}` });

const noArray = 'INVALID_TYPE must be an array';
const noText = 'true zero one half minusOne hundredOne empty space x dot digits long nul surrogate url noDate';
const someEvents: Problems = {
  others:
    'INVALID_VALUE must contain one or more of order.completed, order.failed, wallet.low_balance, deposit.paid, deposit.expired, and none of them twice',
  [`${noText} object noList inherited`]: noArray,
};
const items: Problems = {
  others: noArray,
  list: 'OUT_OF_RANGE must have 1 to 50 elements',
  'nulls texts lists': '[0] INVALID_TYPE must be an object',
  twice: '[0] INVALID_TYPE must be an object; [1] INVALID_TYPE must be an object',
  objects: '[0].sku REQUIRED is required',
  item: TAKEN,
  itemOfNone: '[0].quantity OUT_OF_RANGE must be an integer from 1 to 100',
  itemWithMore: '[0].extra UNKNOWN_MEMBER is not a member of this request',
  itemWithPrototype: '[0].__proto__ UNKNOWN_MEMBER is not a member of this request',
};
const noAmount = 'INVALID_VALUE must be an amount such as 35.00';
const amount: Problems = {
  others: 'INVALID_TYPE must be a string',
  digits: TAKEN,
  'empty space x dot long nul surrogate url noDate': noAmount,
};
const ip: Problems = {
  others: 'INVALID_TYPE must be a string',
  'empty space x dot digits long nul surrogate url noDate':
    'INVALID_VALUE must be an IPv4 or IPv6 address such as 203.0.113.7',
};
const noCredit = 'INVALID_VALUE must be an amount from 0.01 to 1000000.00';
const creditAmount: Problems = {
  others: 'INVALID_TYPE must be a string',
  digits: TAKEN,
  'empty space x dot long nul surrogate url noDate': noCredit,
};
const depositAmount: Problems = {
  others: 'INVALID_TYPE must be a string',
  'empty space x dot digits long nul surrogate url noDate':
    'INVALID_VALUE must be an amount with two fraction digits such as 1000.00',
};
const slip: Problems = {
  others: 'INVALID_TYPE must be a string',
  'empty space x dot digits long nul surrogate url noDate':
    'INVALID_SLIP is not the text of the QR code on a bank’s slip',
};
const texts: Problems = {
  others: 'INVALID_TYPE must be an object',
  object: TAKEN,
  noList: TAKEN,
  inherited: '.constructor INVALID_TYPE must be a string',
};
const KINDS = 'order.completed, order.failed, wallet.low_balance, deposit.paid, deposit.expired, webhook.test';
const limit: Problems = { others: 'INVALID_TYPE must be an integer from 1 to 100', digits: TAKEN };
const cursor: Problems = {
  others: 'INVALID_TYPE must appear once',
  'empty space x dot digits long nul surrogate url noDate': TAKEN,
};
const moment: Problems = { others: 'INVALID_VALUE must be a moment such as 2026-01-15T08:30:00Z' };

const page: Record<string, [sample: unknown, problems: Problems]> = {
  limit: ['20', optional(limit)],
  cursor: ['abc', optional(cursor)],
};

/** Every class of a request: a sample of each member, and the problems of the values above. */
const CLASSES: [shape: Class, members: Record<string, [sample: unknown, problems: Problems]>][] = [
  [
    CreateOrderDto,
    {
      reference_id: [
        'shop-1',
        required({ ...shortText, 'x digits url noDate': TAKEN, dot: 'INVALID_VALUE must not be . or ..' }),
      ],
      user_id: ['player-1', required(shortText)],
      items: [[{ sku: 'A' }, { sku: 'B', quantity: 2 }], required(items)],
      server_id: ['2001', nullable(shortText)],
      character_id: [null, nullable(shortText)],
      max_total_amount: ['70.00', nullable(amount)],
      metadata: [{ cart: '1' }, nullable(texts)],
      end_user_ip: ['203.0.113.7', nullable(ip)],
    },
  ],
  [
    CreateDepositDto,
    {
      reference_id: [
        'deposit-1',
        required({ ...shortText, 'x digits url noDate': TAKEN, dot: 'INVALID_VALUE must not be . or ..' }),
      ],
      amount: ['1000.00', required(depositAmount)],
      channel: ['kbank', nullable({ ...shortText, 'empty long': 'INVALID_VALUE must have 1 to 32 characters' })],
      expires_in: [900, nullable(integer(5, 86_400, 'hundredOne', 'zero one half minusOne'))],
      metadata: [{ till: '3' }, nullable(texts)],
    },
  ],
  [PresentSlipDto, { payload: ['0041000600000101030140220202611241530XYZ012345102TH9104F4F2', required(slip)] }],
  [
    DepositListQuery,
    {
      ...page,
      status: ['paid', optional(oneOf('pending, expired, cancelled, paid'))],
      reference_id: ['deposit-1', optional(shortText)],
      created_from: ['2026-01-15T08:30:00Z', optional(moment)],
      created_to: ['2026-01-16T08:30:00+07:00', optional(moment)],
    },
  ],
  [SandboxCreditDto, { amount: ['1000.00', required(creditAmount)] }],
  [
    CreateWebhookDto,
    {
      url: ['https://shop.example/w', required(address)],
      secret: ['sixteen-characters', nullable(secret)],
      events: [['order.failed'], nullable(someEvents)],
      max_retries: [3, nullable(integer(0, 10, 'zero one', 'half minusOne hundredOne'))],
      retry_delay: [60, nullable(integer(1, 86_400, 'one hundredOne', 'zero half minusOne'))],
      include_deliveries: [true, nullable(flag)],
    },
  ],
  [
    UpdateWebhookDto,
    {
      url: ['https://shop.example/w', optional(address)],
      secret: ['sixteen-characters', optional(secret)],
      status: ['inactive', optional(oneOf('active, inactive'))],
      events: [['order.completed'], optional(someEvents)],
      max_retries: [3, optional(integer(0, 10, 'zero one', 'half minusOne hundredOne'))],
      retry_delay: [5, optional(integer(1, 86_400, 'one hundredOne', 'zero half minusOne'))],
      include_deliveries: [false, optional(flag)],
      rotation_overlap: [60, optional(integer(0, 604_800, 'zero one hundredOne', 'half minusOne'))],
    },
  ],
  [
    OrderListQuery,
    {
      ...page,
      status: ['pending', optional(oneOf('pending, processing, completed, failed'))],
      created_from: ['2026-01-15T08:30:00Z', optional(moment)],
      created_to: ['2026-01-16T08:30:00+07:00', optional(moment)],
      order_number: ['ord_Np3O7rcsqNmBTwD7', optional(shortText)],
      user_id: ['player-1', optional(shortText)],
      reference_id: ['shop-1', optional(shortText)],
    },
  ],
  [
    EventListQuery,
    {
      limit: ['20', optional(limit)],
      type: ['order.failed', optional(oneOf(KINDS))],
      after: ['abc', optional(cursor)],
    },
  ],
  [
    DeliveryListQuery,
    {
      ...page,
      status: ['failed', optional(oneOf('pending, succeeded, failed, cancelled'))],
      event: ['webhook.test', optional(oneOf(KINDS))],
    },
  ],
];

const CASES = CLASSES.flatMap(([shape, members]) => {
  const sample = Object.fromEntries(Object.entries(members).map(([name, [value]]) => [name, value]));
  return Object.entries(members).map(([name, [, problems]]) => [shape.name, name, problems, shape, sample] as const);
});

function problemOf(problems: Problems, value: string): string | undefined {
  const [, problem] = Object.entries(problems).findLast(([names]) => names.split(' ').includes(value)) ?? [];
  return problem ?? problems.others;
}

/** The problems of a body, or `taken`; as plain object and as instance of its class. */
function outcome(shape: Class, body: object, member: string): string {
  try {
    const instance = readMembers(shape, structuredClone(body));
    expect(instance).toBeInstanceOf(shape);
    expect(instance).toEqual(body);
    return TAKEN;
  } catch (error) {
    const { code, details = [], message } = error as AppError;
    expect([code, message]).toEqual(['BAD_REQUEST', details[0]?.message]);
    for (const { field, message } of details) expect(message.slice(0, field.length + 1)).toBe(`${field} `);
    return details
      .map(({ field, code, message }) =>
        `${field.replace(member, '')} ${code} ${message.slice(field.length + 1)}`.trim(),
      )
      .join('; ');
  }
}

describe('the members of requests', () => {
  it.each(CASES)(
    'of %s: %s is taken, or refused for what is wrong with it',
    (_shape, name, problems, shape, sample) => {
      const { [name]: _given, ...rest } = sample;
      for (const [what, value] of Object.entries(VALUES)) {
        const body = value === undefined ? rest : { ...sample, [name]: value };
        expect([what, outcome(shape, body, name)]).toEqual([what, problemOf(problems, what)]);
      }
    },
  );

  it.each(CLASSES)('of %p: no other member is accepted', (shape, members) => {
    const sample = Object.fromEntries(Object.entries(members).map(([name, [value]]) => [name, value]));
    expect(outcome(shape, sample, '')).toBe(TAKEN);
    for (const unknown of ['extra', 'constructor', 'toString', '__proto__']) {
      for (const value of Object.values(VALUES)) {
        const body = { ...sample };
        Object.defineProperty(body, unknown, { value, enumerable: true });
        expect(outcome(shape, body, '')).toBe(`${unknown} UNKNOWN_MEMBER is not a member of this request`);
      }
    }
  });

  it('are reported with every problem, in the order of the documentation', () => {
    const body = { items: [{ sku: 1 }, null, []], constructor: 1, server_id: '', user_id: 'u', extra: 1 };
    expect(outcome(CreateOrderDto, body, '').split('; ')).toEqual([
      'constructor UNKNOWN_MEMBER is not a member of this request',
      'extra UNKNOWN_MEMBER is not a member of this request',
      'reference_id REQUIRED is required',
      'items[0].sku INVALID_TYPE must be a string',
      'items[1] INVALID_TYPE must be an object',
      'items[2] INVALID_TYPE must be an object',
      'server_id INVALID_VALUE must have 1 to 128 characters',
    ]);
    expect(outcome(OrderListQuery, { limit: '0', status: 'x' }, '').split('; ')).toEqual([
      'status INVALID_VALUE must be one of pending, processing, completed, failed',
      'limit OUT_OF_RANGE must be an integer from 1 to 100',
    ]);
  });

  it('become instances of their classes also in lists', () => {
    const order = readMembers(CreateOrderDto, { reference_id: 'a', user_id: 'b', items: [{ sku: 'A' }] });
    expect(order.items[0]).toBeInstanceOf(CreateOrderItemDto);
  });
});
