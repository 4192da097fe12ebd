import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { DepositDto, DepositPaymentDto } from '../deposits/deposit.dto.js';
import { EVENT_MEANINGS } from '../events/event.dto.js';
import { DELIVERED_EVENTS, type DeliveredEvent } from '../events/event.entity.js';
import { SAMPLE_ORDER } from '../webhooks/sample-order.js';

type Part<Holder, Name extends keyof Holder> = NonNullable<Holder[Name]>;
type Components = Part<OpenAPIObject, 'components'>;
type Schemas = Part<Components, 'schemas'>;
type Schema = Exclude<Schemas[string], { $ref: string }>;
type Operation = Part<Part<OpenAPIObject, 'webhooks'>[string], 'post'>;
type Responses = Operation['responses'];

/** The base schema of all events. */
const ANY = 'EventDto';

const FAILED_ORDER = {
  ...SAMPLE_ORDER,
  status: 'failed',
  failure_code: 'PARTIALLY_COMPLETED',
  failure_message: '1 of 2 succeeded, 1 failed; 45.00 THB returned',
  items: SAMPLE_ORDER.items.map((item) => ({
    ...item,
    completed_quantity: 1,
    failed_quantity: 1,
    status: 'failed',
    failure_code: 'OUT_OF_STOCK',
    failure_message: 'The product is out of stock',
  })),
};

const PAYMENT: DepositPaymentDto = {
  id: 'pay_4kQ2nD0sYvWcB8xR1tLmJ5',
  amount: '1003.71',
  paid_at: '2026-01-15T08:33:00.000Z',
  booked_at: '2026-01-15T08:33:01.456Z',
  late: false,
};

const PAID_DEPOSIT: DepositDto = {
  deposit_number: 'dep_Np3O7rcsqNmBTwD7',
  reference_id: 'deposit-1001',
  status: 'paid',
  channel: 'kbank',
  currency: 'THB',
  amount: '1000.00',
  amount_to_pay: '1003.71',
  paid_amount: '1003.71',
  qr_payload: '00020101021229370016A0000006770101110113006681234567853037645407…',
  expires_at: '2026-01-15T08:45:00.123Z',
  paid_at: '2026-01-15T08:33:00.000Z',
  payments: [PAYMENT],
  slip: null,
  metadata: {},
  source: 'api',
  created_at: '2026-01-15T08:30:00.123Z',
  updated_at: '2026-01-15T08:33:01.456Z',
};

/** The schema and an example of each event's data. */
const DATA: Readonly<Record<DeliveredEvent, { schema: string; example: object }>> = {
  'order.completed': { schema: 'OrderDto', example: SAMPLE_ORDER },
  'order.failed': { schema: 'OrderDto', example: FAILED_ORDER },
  'wallet.low_balance': {
    schema: 'LowBalanceDto',
    example: { currency: 'THB', available_amount: '495.00', threshold_amount: '500.00' },
  },
  'deposit.paid': { schema: 'PaidDepositDto', example: { ...PAID_DEPOSIT, payment: PAYMENT } },
  'deposit.expired': {
    schema: 'DepositDto',
    example: { ...PAID_DEPOSIT, status: 'expired', paid_amount: '0.00', paid_at: null, payments: [] },
  },
  'webhook.test': { schema: 'OrderDto', example: SAMPLE_ORDER },
};

/** The headers of a delivery, by Standard Webhooks 1.0. */
const PARAMETERS: Part<Components, 'parameters'> = {
  'webhook-id': {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The `id` of the event. Each attempt has the same id, so that you recognize a repeated event.',
    schema: { type: 'string', pattern: '^evt_\\w+$' },
    example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
  },
  'webhook-timestamp': {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description:
      'The time of this attempt, in Unix seconds. Refuse a delivery if this differs from your clock by more than five minutes.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1768465801',
  },
  'webhook-signature': {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. While a secret is being ' +
      'replaced, the header has two signatures, separated by a space: one valid signature is enough.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

const POSTPONED: Responses[string] = {
  description:
    'A failure. If a retry is left, it follows after `Retry-After` (an hour at most), but never before `retry_delay`.',
  headers: {
    'Retry-After': { description: 'Seconds, or a date', schema: { type: 'string' }, example: '120' },
  },
};

/** The consequence of each answer of the merchant's endpoint (contract, section 4). */
const RESPONSES: Responses = {
  '2XX': { description: 'Received: answer within 15 seconds, and do the work afterwards.' },
  '410': { description: 'A failure. This delivery is not retried.' },
  '429': POSTPONED,
  '503': POSTPONED,
  default: { description: 'A failure. Each of `max_retries` retries follows after `retry_delay` seconds.' },
};

/** Declares each event as a webhook, and an item of `GET /v1/events` as one of these events. */
export function declareEvents(document: OpenAPIObject): OpenAPIObject {
  const schemas: Schemas = { ...document.components?.schemas };
  const base = schemas[ANY];
  if (base === undefined || '$ref' in base) throw new Error(`there is no schema ${ANY}`);
  for (const kind of DELIVERED_EVENTS) schemas[schemaNameOf(kind)] = schemaOf(kind, base);
  schemas[ANY] = {
    oneOf: DELIVERED_EVENTS.map((kind) => ({ $ref: pathOf(kind) })),
    discriminator: {
      propertyName: 'event',
      mapping: Object.fromEntries(DELIVERED_EVENTS.map((kind) => [kind, pathOf(kind)])),
    },
  };
  document.webhooks = Object.fromEntries(DELIVERED_EVENTS.map((kind) => [kind, { post: deliveryOf(kind) }]));
  document.components = { ...document.components, schemas, parameters: PARAMETERS };
  return document;
}

/** `order.completed` is an `OrderCompletedEventDto`. */
const schemaNameOf = (kind: DeliveredEvent): string =>
  `${kind.replaceAll(/(^|[._])(\w)/g, (_, _mark, letter: string) => letter.toUpperCase())}EventDto`;

const pathOf = (kind: DeliveredEvent): string => getSchemaPath(schemaNameOf(kind));

function schemaOf(kind: DeliveredEvent, base: Schema): Schema {
  const { schema } = DATA[kind];
  const properties = {
    ...base.properties,
    // Nest's types describe OpenAPI 3.0, which has no `const`.
    event: { type: 'string', const: kind } as Schema,
    data: { $ref: getSchemaPath(schema) },
  };
  return { ...base, description: `${EVENT_MEANINGS[kind]}.`, properties };
}

function deliveryOf(kind: DeliveredEvent): Operation {
  const value = {
    id: 'evt_3bqFzJ0WnXrT5c8HsVdK2m',
    event: kind,
    timestamp: 1768465800,
    data: DATA[kind].example,
  };
  return {
    operationId: `${schemaNameOf(kind)
      .replace(/Dto$/, '')
      .replace(/^./, (letter) => letter.toLowerCase())}`,
    tags: ['Webhooks'],
    summary: EVENT_MEANINGS[kind],
    description: 'Verify the signature over the raw body before anything else.',
    // A delivery carries a signature instead of an API key.
    security: [],
    parameters: Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: pathOf(kind) },
          examples: { [kind]: { summary: kind, value } },
        },
      },
    },
    responses: RESPONSES,
  };
}
