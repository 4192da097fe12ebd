import { createHmac } from 'node:crypto';
import { LATER_MS, ON_THE_WAY, type ForgedAbout, type Forgery, type Json, type VendorKind } from './vendor-kind.js';

const SECRET_KEY = 'seagm-test-secret';
/** More than a run spends, in ringgit. */
const BALANCE = '1000000';

const PLAYER = '{"userid":"{user}","serverid":"{server}"}';
const ARTICLES = {
  first: { supplierSku: '7001', cost: '3.35', template: PLAYER },
  second: { supplierSku: '7002', cost: '3.4995', template: PLAYER },
  only: { supplierSku: '7003', cost: '3.5701', template: PLAYER },
  code: { supplierSku: 'card:7004', cost: '2.9' },
};
const field = (name: string): Json => ({ name, label: name, type: 'text' });
const productType = ({ supplierSku, cost }: { supplierSku: string; cost: string }): Json => {
  const id = Number(supplierSku.replace('card:', ''));
  const isCard = supplierSku.startsWith('card:');
  return {
    id,
    kind: isCard ? 'card' : 'recharge',
    category_id: isCard ? 71 : 70,
    category_name: 'Chaos',
    name: supplierSku,
    unit_price: cost,
    fields: isCard ? [] : [field('userid'), field('serverid')],
  };
};

const ended = (status_code: number, callback: Json): Json[] => [
  { then: [{ status_code: 10_002 }, { status_code, after_ms: LATER_MS }], callback },
];

const BEHAVIOURS = {
  ...ON_THE_WAY,
  'bought-504': [{ http: 504 }],
  'bought-error': [{ code: 1006, answer_only: true }],
  'lost-error': [{ code: 1001 }],
  // A code of no documented table.
  'odd-error': [{ code: 400, info_code: 20_123 }],
  'too-often': [{ code: 429 }],
  // Not for ever, because nothing is recorded and the unit would stay in doubt.
  'no-such-type': [{ code: 400, info_code: 20_077, times: 4 }],
  refused: ended(10_004, {}),
  refunded: ended(10_005, {}),
  'refused-drop': [{ drop: true, then: [{ status_code: 10_004, after_ms: LATER_MS }] }],
  'refused-silent': ended(10_005, { mode: 'never' }),
  pending: ended(10_003, {}),
  silent: ended(10_003, { mode: 'never' }),
  twice: ended(10_003, { mode: 'twice' }),
  swapped: ended(10_003, { mode: 'out_of_order' }),
  'late-callback': ended(10_003, { delay_ms: 10_000 }),
  unsigned: ended(10_003, { signature: 'absent' }),
  'stale-signature': ended(10_003, { signature: 'stale' }),
  'early-callback': [{ callback: { mode: 'before_answer' }, delay_ms: 800 }],
  'bought-late': [{ then: [{ status_code: 10_004 }, { status_code: 10_003, after_ms: 2_000 }] }],
  'taken-back': [{ then: [{ status_code: 10_003 }, { status_code: 10_005, after_ms: LATER_MS }] }],
} satisfies Record<string, Json[]>;

const CONTRADICTIONS = {
  // It arrives after the caller has given up.
  late: [{ delay_before_ms: 2_500 }],
  // The vendor answers "never seen" to an inquiry, and the unit is sent again.
  'very-late': [{ delay_before_ms: 12_000 }],
  // An inquiry gets a refusal, and the unit is sold later.
  'stated-late': [
    {
      then: [{ status_code: 10_004 }, { status_code: 10_003, after_ms: 8_000 }],
      callback: { mode: 'never' },
    },
  ],
} satisfies Record<string, Json[]>;

type Fields = Record<string, string>;

function signed(fields: Fields, key: string): string {
  const text = new URLSearchParams(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)));
  const signature = createHmac('sha256', key).update(text.toString()).digest('hex');
  return new URLSearchParams({ ...fields, signature }).toString();
}

function forgeries({ reference, sku, name, isSuccess }: ForgedAbout): Forgery[] {
  const fields = {
    id: name,
    mch_order_id: reference,
    type_id: sku.replace('card:', ''),
    currency: 'MYR',
    buy_amount: '1',
    pay_amount: '1',
    send_amount: '1',
    timestamp: `${Math.floor(Date.now() / 1_000)}`,
    status_code: isSuccess ? '10003' : '10004',
  };
  const bodies = {
    absent: new URLSearchParams(fields).toString(),
    'by another secret': signed(fields, 'another-secret'),
    // An eavesdropper may have seen it, for another purchase.
    'of another amount': signed({ ...fields, pay_amount: '2' }, SECRET_KEY).replace('pay_amount=2', 'pay_amount=1'),
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return Object.entries(bodies).map(([how, body]) => ({ how, headers, body }));
}

/** SEAGM: sells again under a known reference, and is queried by our reference; its callbacks are signed. */
export const seagm: VendorKind = {
  code: 'seagm',
  adapter: 'seagm',
  path: '',
  credentials: { uid: '10001', secret_key: SECRET_KEY },
  currency: 'MYR',
  rate: '7.8',
  account: { balance: BALANCE, types: Object.values(ARTICLES).map(productType) },
  // A worker whose clock is hours off would get only refusals, and a ban would outlast the run.
  readings: { clock_tolerance_seconds: 100_000, ban_after: 0 },
  changes: {
    poor: { balance: '1' },
    rich: { balance: BALANCE },
    locked: { secret_key: 'another' },
    open: { secret_key: SECRET_KEY },
  },
  isWell: ({ balance, secret_key }) => secret_key === SECRET_KEY && Number(balance) > Number(BALANCE) / 2,
  callBackAt: (url) => ({ callback_url: url }),
  articles: ARTICLES,
  playerOf: (userId) => userId,
  behaviours: BEHAVIOURS,
  refusing: ['no-such-type', 'refused', 'refunded', 'refused-drop', 'refused-silent', 'bought-late'],
  boughtLate: ['bought-late', 'stated-late'],
  stated: ['stated-late'],
  boughtTwice: ['very-late'],
  contradictions: CONTRADICTIONS,
  cardRules: [
    { drop: true },
    { drop: true, decide: false },
    { then: [{ status_code: 10_004, after_ms: LATER_MS }] },
    // A success whose cards come later.
    {
      then: [
        { status_code: 10_003, with_cards: false },
        { status_code: 10_003, after_ms: LATER_MS },
      ],
    },
    { callback: { mode: 'twice' } },
    { code: 400, info_code: 20_077 },
  ],
  refusalsOfUs: ['401', '406', '1002', '1022'],
  codeIn: ({ code }) => code,
  isTimeFast: false,
  gapMs: null,
  leavesInDoubt: null,
  tellsCostLater: true,
  namesOf: ({ transactions }) => transactions.map(({ trx_id }) => trx_id).reverse(),
  playerIn: ({ fields, kind }) => (kind === 'card' ? null : String((fields as Json).userid)),
  codesIn: ({ transactions }) =>
    transactions.flatMap(({ cards }) => (cards as { pin: string }[]).map(({ pin }) => pin)),
  isPurchase: ({ call }) => call === 'recharge-orders' || call === 'card-orders',
  isSigned: true,
  forgeries,
};
