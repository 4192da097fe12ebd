import { createHmac } from 'node:crypto';

/** The secret of the receivers. */
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A delivery of the service, or a forged one. */
export interface Delivery {
  headers: Record<string, string>;
  body: string;
}

const now = (): string => String(Math.floor(Date.now() / 1000));

const event = (reference: string): string =>
  JSON.stringify({ id: 'evt_1', event: 'order.completed', timestamp: 1, data: { reference_id: reference } });

function delivery(body = event('shop-1'), time = now(), id = 'evt_1'): Delivery {
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
  const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
  return { headers: { 'content-type': 'application/json', ...headers }, body };
}

const changed = (headers: Record<string, string | undefined>, of = delivery()): Delivery => {
  const all = Object.entries({ ...of.headers, ...headers }).filter(([, value]) => value !== undefined);
  return { ...of, headers: Object.fromEntries(all) as Record<string, string> };
};

export const GENUINE: [what: string, make: () => Delivery][] = [
  ['as it is sent', () => delivery()],
  ['with letters of other alphabets in the body', () => delivery(event('ร้านเกม'))],
  [
    'with two signatures, while the secret is changed',
    () => {
      const made = delivery();
      return changed({ 'webhook-signature': `v1,AAAA ${made.headers['webhook-signature']}` }, made);
    },
  ],
];

const signature = 'webhook-signature';
const timestamp = 'webhook-timestamp';

/** Any text as a header, in characters that node:http sends as one byte each. */
const inBytes = (text: string): string => Buffer.from(text).toString('latin1');

const STRANGE_TIMES = [
  '',
  ' ',
  'abc',
  '-1',
  '0',
  '1.5',
  '1e9',
  '1e400',
  '0x10',
  'NaN',
  'Infinity',
  '²',
  '1²',
  `-${now()}`,
  '9'.repeat(13),
  '9'.repeat(20),
  '9'.repeat(5_000),
];

export const FORGED: [what: string, make: () => Delivery][] = [
  ['no headers of ours', () => changed({ 'webhook-id': undefined, [timestamp]: undefined, [signature]: undefined })],
  ['no id', () => changed({ 'webhook-id': undefined })],
  ['no timestamp', () => changed({ [timestamp]: undefined })],
  ['no signature', () => changed({ [signature]: undefined })],
  ['no content type', () => changed({ 'content-type': undefined, [signature]: 'v1,AAAA' })],
  ['another body', () => ({ ...delivery(), body: '{}' })],
  ['an empty body', () => ({ ...delivery(), body: '' })],
  ['a timestamp six minutes old', () => delivery(event('shop-1'), String(Number(now()) - 360))],
  ['a timestamp six minutes ahead', () => delivery(event('shop-1'), String(Number(now()) + 360))],
  ...STRANGE_TIMES.map((time): (typeof FORGED)[number] => [
    `the timestamp ${time.slice(0, 20)}`,
    // Correctly signed, so that only its time is wrong.
    () => delivery(event('shop-1'), time),
  ]),
  ...[
    '',
    ' ',
    'v1',
    inBytes('v1,สวัสดี'),
    inBytes('v1,é\u2603'),
    'v1,',
    'v1,é',
    'é',
    ',',
    ',,',
    'v1,a,b',
    'v1,AAAA',
    'v1,A',
    'v1,%',
    `v1,${'A'.repeat(5_000)}`,
  ].map((given): (typeof FORGED)[number] => [
    `the signature ${given.slice(0, 20)}`,
    () => changed({ [signature]: given }),
  ]),
  [
    'the signature of another version',
    () => {
      const made = delivery();
      return changed({ [signature]: (made.headers[signature] ?? '').replace('v1,', 'v2,') }, made);
    },
  ],
];
