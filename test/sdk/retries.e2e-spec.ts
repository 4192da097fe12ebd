import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backoffMs, retryAfterMs } from '../../sdk/typescript/src/backoff.js';
import { ApiError, ConnectionError, Topup, type CallOptions } from '../../sdk/typescript/src/index.js';
import { ScriptedService, type Answering } from './scripted-service.js';

let service: ScriptedService;
let topup: Topup;

beforeAll(async () => {
  service = await new ScriptedService().listen();
  topup = new Topup({ apiKey: 'key', baseUrl: service.url });
});

afterAll(() => service.close());

const body = (code: string, detail?: string): string =>
  JSON.stringify({
    code,
    message: 'no',
    ...(detail && { details: [{ field: 'a', code: detail, message: 'no' }] }),
  });

const ORDER = { reference_id: 'a', user_id: 'b', items: [{ sku: 'c' }] };
const create = (options?: CallOptions): Promise<unknown> => topup.orders.create(ORDER, options);
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('the SDK sends a request again', () => {
  it.each<[string, Answering]>([
    ['a connection that was cut', 'reset'],
    ['500', [500, {}, body('INTERNAL_ERROR')]],
    ['502 of a proxy', [502, {}, '<html>']],
    ['503', [503, { 'retry-after': '0' }, body('SERVICE_UNAVAILABLE')]],
    ['429', [429, {}, body('TOO_MANY_REQUESTS')]],
  ])('after %s, as the same request', async (_what, answer) => {
    service.answer(answer);
    await create();
    expect(service.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill('POST /v1/orders'));
    expect(new Set(service.asked.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
  });

  it('not before Retry-After', async () => {
    service.answer([429, { 'retry-after': '1' }, body('TOO_MANY_REQUESTS')]);
    await topup.webhooks.test(7);
    const [first, second] = service.asked;
    // A timer may fire a little early.
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(990);
  });

  it('at most maxRetries times, and then throws the last error', async () => {
    service.answer(...Array<Answering>(9).fill([503, {}, body('SERVICE_UNAVAILABLE')]));
    expect(await failureOf(create({ maxRetries: 1 }))).toMatchObject({ status: 503 });
    expect(service.asked).toHaveLength(2);
  });
});

describe('the SDK does not send again', () => {
  it.each<[string, Answering, () => Promise<unknown>]>([
    ['what may have happened twice', 'reset', () => topup.webhooks.create({ url: 'https://a.example' })],
    [
      'a change of a secret',
      [503, {}, body('SERVICE_UNAVAILABLE')],
      () => topup.webhooks.update(1, { secret: 'a'.repeat(16) }),
    ],
    ['a credit', [500, {}, body('INTERNAL_ERROR')], () => topup.sandbox.credit('1.00')],
    ['what costs too much', [503, {}, body('SERVICE_UNAVAILABLE', 'INSUFFICIENT_BALANCE')], () => create()],
    ['what is wrong', [400, {}, body('BAD_REQUEST')], () => create()],
    ['where it would wait for minutes', [429, { 'retry-after': '3600' }, body('TOO_MANY_REQUESTS')], () => create()],
    ['to another address', [307, { location: 'http://127.0.0.1:1/' }, ''], () => create()],
  ])('%s', async (_what, answer, act) => {
    service.answer(answer);
    expect(await failureOf(act())).toBeInstanceOf(answer === 'reset' ? ConnectionError : ApiError);
    expect(service.asked).toHaveLength(1);
  });

  it('after the signal aborts, and throws its reason', async () => {
    service.answer(...Array<Answering>(9).fill([429, { 'retry-after': '30' }, body('TOO_MANY_REQUESTS')]));
    const controller = new AbortController();
    const failure = failureOf(create({ signal: controller.signal }));
    while (service.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('the buyer left'));
    expect(await failure).toBe(controller.signal.reason);
    expect(await failureOf(create({ signal: controller.signal }))).toBe(controller.signal.reason);
    expect(service.asked).toHaveLength(1);
  });
});

describe('the SDK gives up', () => {
  it('an attempt that takes too long, with an error', async () => {
    service.answer('silence');
    const failure = await failureOf(create({ timeoutMs: 100, maxRetries: 0 }));
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ message: `No answer within 100 ms (POST ${service.url}/v1/orders)` });
  });

  it('an empty wallet, which it tells from a service that is away', async () => {
    service.answer(
      [503, {}, body('SERVICE_UNAVAILABLE', 'INSUFFICIENT_BALANCE')],
      [503, {}, body('SERVICE_UNAVAILABLE')],
    );
    expect(await failureOf(create())).toMatchObject({ status: 503, isInsufficientBalance: true });
    expect(await failureOf(create({ maxRetries: 0 }))).toMatchObject({ status: 503, isInsufficientBalance: false });
  });

  it('an address where nothing listens, and names it', async () => {
    const nowhere = new Topup({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    expect(await failureOf(nowhere.wallet.get())).toMatchObject({
      message: 'The service could not be reached (GET http://127.0.0.1:1/v1/wallet)',
    });
  });

  it('after an answer that is not from the API', async () => {
    service.answer([200, {}, '<html>']);
    expect(await failureOf(create())).toMatchObject({ name: 'ApiError', status: 200, code: 'UNKNOWN' });
  });
});

describe('the time before a retry', () => {
  it('doubles up to eight seconds, and is half random', () => {
    expect([0, 1, 2, 9].map((retry) => backoffMs(retry, () => 0))).toEqual([250, 500, 1000, 4000]);
    expect([0, 1, 2, 9].map((retry) => backoffMs(retry, () => 1))).toEqual([500, 1000, 2000, 8000]);
  });

  it.each<[string | null, number | null]>([
    ['2', 2000],
    ['Thu, 01 Jan 1970 00:00:12 GMT', 2000],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['-5', null],
    ['soon', null],
    [null, null],
  ])('reads Retry-After: %s', (header, expected) => {
    expect(retryAfterMs(header, 10_000)).toBe(expected);
  });
});
