import { describe, expect, it } from '@jest/globals';
import { checkAnswer, problemOfDelivery } from './support/openapi-check.js';

const WALLET = {
  currency: 'THB',
  available_amount: '1.00',
  held_amount: '0.00',
  updated_at: '2026-01-15T08:30:00.123Z',
};
const HEADERS = { 'x-request-id': 'one', 'content-type': 'application/json', 'ratelimit-limit': '1000' };

const check = (body: object, { status = 200, headers = HEADERS, path = '/v1/wallet?a=b' } = {}): void =>
  checkAnswer('GET', path, { status, headers: new Headers(headers), body });

const EVENT = {
  id: 'evt_1',
  event: 'wallet.low_balance',
  timestamp: 1768465800,
  data: { currency: 'THB', available_amount: '1.00', threshold_amount: '2.00' },
};
const SIGNED = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': '1768465801',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  'user-agent': 'order-topup-webhooks/1.0',
};
const delivery = (event: object, headers: Record<string, string> = SIGNED): string | null =>
  problemOfDelivery(headers, JSON.stringify(event));

describe('the comparison of answers and deliveries with openapi.json', () => {
  it('passes if they are as documented', () => {
    expect(() => check(WALLET)).not.toThrow();
    expect(delivery(EVENT)).toBeNull();
  });

  it.each<[string, () => void, string]>([
    ['a member', () => check({ ...WALLET, colour: 'blue' }), 'must NOT have additional properties (colour)'],
    ['a type', () => check({ ...WALLET, held_amount: 0 }), '/held_amount must be string'],
    ['a format', () => check({ ...WALLET, updated_at: 'now' }), '/updated_at must match format "date-time"'],
    ['a status', () => check({}, { status: 418 }), 'the document has no answer 418 of it'],
    ['a route', () => check({}, { path: '/v1/colours' }), 'the document has no such route'],
    ['a header', () => check(WALLET, { headers: { ...HEADERS, etag: '1' } as never }), 'no header etag'],
    [
      'a value of a header',
      () => check(WALLET, { headers: { ...HEADERS, 'ratelimit-limit': 'many' } }),
      'must be integer',
    ],
    ['the id of the request', () => check(WALLET, { headers: {} as never }), 'it has no X-Request-Id'],
  ])('fails for %s that the document lacks', (_what, act, message) => {
    expect(act).toThrow(message);
  });

  it.each<[string, string | null, string]>([
    ['an event', delivery({ ...EVENT, event: 'order.lost' }), 'the document has no event order.lost'],
    ['a member', delivery({ ...EVENT, data: { ...EVENT.data, more: 1 } }), '/data must NOT have additional'],
    ['another id', delivery({ ...EVENT, id: 'evt_2' }), 'webhook-id is not the id of the body'],
    ['no signature', delivery(EVENT, { ...SIGNED, 'webhook-signature': '' }), 'must match pattern'],
    ['a header', delivery(EVENT, { ...SIGNED, 'x-more': '1' }), 'the document has no header x-more'],
  ])('fails for a delivery with %s that the document lacks', (_what, problem, message) => {
    expect(problem).toContain(message);
  });
});
