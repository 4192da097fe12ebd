import { expect, it } from '@jest/globals';
import { generateSecret, sign } from '../../src/webhooks/signature.js';
import { describePhp, runScript } from './php/php.js';

const INVALID = 'Topup\\Exception\\InvalidWebhook';

const NOW = 1_768_465_801;
const SECRET = generateSecret();
const EVENT = { id: 'evt_1', event: 'order.completed', data: { reference_id: 'ก' } };
const BODY = JSON.stringify(EVENT);

interface Case {
  secrets: string | string[];
  body: unknown;
  headers: unknown;
  now: number;
}

const signatureOf = (timestamp: number | string, secret = SECRET, body = BODY, id = 'evt_1'): string =>
  sign({ id, timestamp: timestamp as number, body }, secret);

/** A valid webhook, except for the given members. */
function webhook(headers: Record<string, unknown> = {}, more: Partial<Case> = {}): Case {
  const good = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(NOW),
    'webhook-signature': signatureOf(NOW),
  };
  const merged = Object.fromEntries(Object.entries({ ...good, ...headers }).filter(([, value]) => value !== undefined));
  return { secrets: SECRET, body: BODY, headers: merged, now: NOW, ...more };
}

/** The result of each, from one process. */
function verify(cases: Case[]): unknown[] {
  return runScript('verify.php', cases) as unknown[];
}

const expectAll = (expected: unknown, cases: Record<string, Case>): void => {
  const results = verify(Object.values(cases));
  const named = Object.fromEntries(Object.keys(cases).map((name, index) => [name, results[index]]));
  expect(named).toEqual(Object.fromEntries(Object.keys(cases).map((name) => [name, expected])));
};

describePhp('webhooks in PHP', () => {
  it('are accepted if the service signed them, with any server’s form of headers', () => {
    const { headers } = webhook();
    const entries = Object.entries(headers as Record<string, string>);
    const named = (rename: (name: string) => string): object =>
      Object.fromEntries(entries.map(([name, value]) => [rename(name), value]));
    expectAll(EVENT, {
      'as they are': webhook(),
      'in capitals': webhook({}, { headers: named((name) => name.toUpperCase()) }),
      'in lists': webhook({}, { headers: Object.fromEntries(entries.map(([name, value]) => [name, [value]])) }),
      'as $_SERVER': webhook({}, { headers: named((name) => `HTTP_${name.toUpperCase().replaceAll('-', '_')}`) }),
      'beside others': webhook({ 0: 'x', accept: null, 'content-length': 5 }),
      'a secret of the merchant’s own': webhook(
        { 'webhook-signature': signatureOf(NOW, 'sixteen-characters') },
        { secrets: 'sixteen-characters' },
      ),
      'a secret that only looks like base64': webhook(
        { 'webhook-signature': signatureOf(NOW, 'whsec_not*base64****') },
        { secrets: 'whsec_not*base64****' },
      ),
      'one signature of several': webhook({ 'webhook-signature': `v1,AAAA v2,x ${signatureOf(NOW)} v1,` }),
      'while the secret is changed': webhook({}, { secrets: [generateSecret(), SECRET] }),
      'as late as may be': webhook({}, { now: NOW + 300 }),
      'as early as may be': webhook({}, { now: NOW - 300 }),
    });
  });

  it('are accepted if they are the example of Standard Webhooks', () => {
    const [event] = verify([
      {
        secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        body: '{"test": 2432232314}',
        headers: {
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
        now: 1_614_265_330,
      },
    ]);
    expect(event).toEqual({ test: 2432232314 });
  });

  it('are otherwise refused with the same exception, without a warning', () => {
    const times = [
      '',
      ' ',
      'x',
      '1e9',
      '-1',
      '+5',
      '１７６８',
      '9'.repeat(30),
      `${NOW}\n`,
      ` ${NOW}`,
      `${NOW}.0`,
      '0x10',
    ];
    const strange = [undefined, null, true, 5, [], ['a', 'b'], [[]], {}, 'base64:/v8=', ''];
    const signatures = [
      'ลายเซ็น',
      'v1',
      'v1,',
      'v1,ééé',
      ' ',
      'v1,AAAA',
      `v2,${signatureOf(NOW).slice(3)}`,
      signatureOf(NOW).slice(0, -1),
    ];
    expectAll(INVALID, {
      ...Object.fromEntries(
        times.map((time) => [
          `timestamp ${time}`,
          webhook({ 'webhook-timestamp': time, 'webhook-signature': signatureOf(time) }),
        ]),
      ),
      ...Object.fromEntries(
        signatures.map((signature) => [`signature ${signature}`, webhook({ 'webhook-signature': signature })]),
      ),
      ...Object.fromEntries(
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) =>
          strange.map((value, index) => [`${name} ${index}`, webhook({ [name]: value })] as const),
        ),
      ),
      ...Object.fromEntries(
        [null, 5, [], false, '', '{', '7', `${BODY} `].map((body) => [
          `body ${JSON.stringify(body)}`,
          webhook({}, { body }),
        ]),
      ),
      ...Object.fromEntries(
        [null, 5, 'x', [], ['webhook-id']].map((headers) => [
          `headers ${JSON.stringify(headers)}`,
          webhook({}, { headers }),
        ]),
      ),
      'a signed text that is no JSON': webhook({ 'webhook-signature': signatureOf(NOW, SECRET, 'x') }, { body: 'x' }),
      'bytes that are no text': webhook({}, { body: 'base64:/v8=' }),
      'another id': webhook({ 'webhook-id': 'evt_2' }),
      'another secret': webhook({}, { secrets: generateSecret() }),
      'too late': webhook({}, { now: NOW + 301 }),
      'too early': webhook({}, { now: NOW - 301 }),
    });
  });

  it('need a secret', () => {
    expectAll('InvalidArgumentException', {
      none: webhook({}, { secrets: [] }),
      empty: webhook({}, { secrets: '' }),
    });
  });
});
