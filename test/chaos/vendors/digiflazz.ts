import { createHmac } from 'node:crypto';
import {
  LATER_MS,
  ON_THE_WAY,
  SERVER_ID,
  type ForgedAbout,
  type Forgery,
  type Json,
  type VendorKind,
} from './vendor-kind.js';

const KEY = 'prod-7d20a3f8-test';
const WEBHOOK_SECRET = 'hook-secret-1';
/** More than a run spends. */
const DEPOSIT = 1_000_000_000;

/** `only` is so expensive that its selling price limits the cost, and not the usual limit of a price rise. */
const ARTICLES = {
  first: { supplierSku: 'chaos-first', cost: '10000' },
  second: { supplierSku: 'chaos-second', cost: '11000' },
  only: { supplierSku: 'chaos-only', cost: '16500' },
  code: null,
};

const pending = (rc: string, callback: Json): Json[] => [{ rc: '03', then: [{ rc, after_ms: LATER_MS }], callback }];
/** Answers `rc` to the next call about a bought unit. The code does not report the outcome, and no callback comes. */
const boughtAndAnswered = (rc: string): Json[] => [
  { drop: true, callback: { mode: 'never' } },
  { match: { repeat: true }, rc, answer_only: true },
];

const BEHAVIOURS = {
  ...ON_THE_WAY,
  // It arrives after the caller has given up.
  late: [{ delay_before_ms: 2_500 }],
  'bought-504': [{ http: 504, times: 2 }],
  // Not for ever, because nothing is recorded and the unit would stay in doubt.
  'out-of-stock': [{ rc: '68', times: 4 }],
  refused: [{ rc: '02', times: null }],
  'refused-drop': [{ rc: '02', drop: true }],
  'wrong-player': [{ rc: '54', times: null }],
  'timeout-bought': [{ rc: '01', then: [{ rc: '00', after_ms: LATER_MS }], callback: { mode: 'never' } }],
  'timeout-refused': [{ rc: '70' }],
  'too-often': [{ rc: '85' }],
  'not-unique': boughtAndAnswered('49'),
  'deposit-low': boughtAndAnswered('44'),
  'stock-empty': boughtAndAnswered('68'),
  pending: pending('00', {}),
  'pending-refused': pending('02', {}),
  'pending-silent': pending('00', { mode: 'never' }),
  'pending-twice': pending('00', { mode: 'twice' }),
  'pending-swapped': pending('00', { mode: 'out_of_order' }),
  'pending-late': pending('00', { delay_ms: 60_000 }),
  'pending-unsigned': pending('00', { signature: 'absent' }),
  'early-callback': [{ callback: { mode: 'before_answer' }, delay_ms: 800 }],
  // It reports this while the next attempt is in doubt.
  'too-often-bought': [
    { rc: '85', then: [{ rc: '00', after_ms: 200_000 }] },
    { drop: true, callback: { mode: 'never' } },
  ],
  'bought-late': [{ rc: '02', then: [{ rc: '00', after_ms: LATER_MS }] }],
  'taken-back': [{ rc: '00', then: [{ rc: '74', after_ms: LATER_MS }] }],
} satisfies Record<string, Json[]>;

const CONTRADICTIONS = {
  'stated-late': [{ rc: '02', then: [{ rc: '00', after_ms: LATER_MS }], callback: { mode: 'never' } }],
} satisfies Record<string, Json[]>;

const hmac = (secret: string, text: string): string => `sha1=${createHmac('sha1', secret).update(text).digest('hex')}`;

/** Forged signatures of a text; null for none. */
const SIGNATURES: Record<string, (body: string) => string | null> = {
  absent: () => null,
  'by another secret': (body) => hmac('another-secret', body),
  'without its prefix': (body) => hmac(WEBHOOK_SECRET, body).slice('sha1='.length),
  // An eavesdropper may have seen it, for the same content in another notation.
  'of other bytes': (body) => hmac(WEBHOOK_SECRET, JSON.stringify(JSON.parse(body))),
};

function forgeries({ reference, sku, name, isSuccess }: ForgedAbout): Forgery[] {
  const says = isSuccess ? { status: 'Sukses', rc: '00' } : { status: 'Gagal', rc: '02' };
  const about = { ref_id: reference, buyer_sku_code: sku, trx_id: name };
  // With spaces, so that a second serialization gives another text.
  const body = JSON.stringify({ data: { ...about, ...says, message: '', sn: '1', price: 1 } }, null, 1);
  return Object.entries(SIGNATURES).map(([how, sign]) => {
    const signature = sign(body);
    const headers: Record<string, string> = { 'x-digiflazz-delivery': name };
    headers['content-type'] = 'application/json';
    if (signature !== null) headers['x-hub-signature'] = signature;
    return { how, headers, body };
  });
}

/** Digiflazz: queried by another send, with at least a minute between two calls about an attempt. */
export const digiflazz: VendorKind = {
  code: 'digi',
  adapter: 'digiflazz',
  path: '/v1',
  credentials: { username: 'demo-reseller', key: KEY, webhook_secret: WEBHOOK_SECRET },
  currency: 'IDR',
  rate: '0.0021',
  account: {
    deposit: DEPOSIT,
    products: [ARTICLES.first, ARTICLES.second, ARTICLES.only].map(({ supplierSku, cost }) => ({
      buyer_sku_code: supplierSku,
      price: Number(cost),
    })),
  },
  readings: {},
  changes: {
    poor: { deposit: 100 },
    rich: { deposit: DEPOSIT },
    locked: { keys: { production: 'another' } },
    open: { keys: { production: KEY } },
  },
  isWell: ({ deposit, keys }) => (keys as Json).production === KEY && Number(deposit) > DEPOSIT / 2,
  callBackAt: null,
  articles: ARTICLES,
  // The player's id, and then the server.
  playerOf: (userId) => userId + SERVER_ID,
  behaviours: BEHAVIOURS,
  refusing: ['out-of-stock', 'refused', 'refused-drop', 'pending-refused', 'bought-late'],
  boughtLate: ['bought-late', 'too-often-bought', 'stated-late'],
  stated: ['stated-late'],
  boughtTwice: [],
  contradictions: CONTRADICTIONS,
  cardRules: [],
  refusalsOfUs: ['41', '42', '44', '45', '61'],
  codeIn: ({ rc }) => rc,
  isTimeFast: true,
  gapMs: 60_000,
  leavesInDoubt: 'repeats',
  tellsCostLater: true,
  namesOf: ({ transactions }) => transactions.slice(-1).map(({ trx_id }) => trx_id),
  playerIn: ({ customer_no }) => String(customer_no),
  codesIn: () => [],
  isPurchase: () => true,
  limitIn: ({ max_price }) => max_price as number | null,
  isSigned: true,
  forgeries,
};
