import { LATER_MS, ON_THE_WAY, type Json, type VendorKind } from './vendor-kind.js';

const SECRET_KEY = 'lapak-5c20d7be-test';
/** More than a run spends, in rupiah. */
const BALANCE = 1_000_000_000;

const ARTICLES = {
  first: { supplierSku: 'CHAOS1-S1', cost: '9100' },
  second: { supplierSku: 'CHAOS2-S1', cost: '9900' },
  only: { supplierSku: 'CHAOS3-S1', cost: '14900' },
  code: { supplierSku: 'CHAOSV-S1', cost: '8600' },
};
const product = ({ supplierSku: code, cost }: { supplierSku: string; cost: string }): Json => ({
  code,
  name: code,
  price: Number(cost),
  category_code: code === ARTICLES.code.supplierSku ? 'CHAOSV' : 'CHAOS',
});
const form = (name: string): Json => ({ name, type: 'text', options: [] });

const ended = (status: string, callback: Json): Json[] => [{ then: [{ status, after_ms: LATER_MS }], callback }];
const deaf = { match: { call: 'order_status' }, http: 500, times: 2 };

const BEHAVIOURS = {
  ...ON_THE_WAY,
  // It arrives after the caller has given up.
  late: [{ delay_before_ms: 2_500 }],
  'bought-500': [{ http: 500 }],
  'bought-error': [{ code: 'SYSTEM_ERROR', answer_only: true }],
  'lost-error': [{ code: 'UNKNOWN_ERROR' }],
  // Not for ever, because nothing is recorded and the unit would stay in doubt.
  'stock-empty': [{ code: 'STOCK_NOT_FOUND', times: 4 }],
  'price-changed': [{ code: 'PRICE_NOT_MATCH' }],
  'wrong-player': [{ code: 'USER_ID_EMPTY', times: 4 }],
  refused: ended('REFUNDED', {}),
  'refused-drop': [{ drop: true, then: [{ status: 'REFUNDED', after_ms: LATER_MS }] }],
  'deaf-bought': [{ drop: true }, deaf],
  'deaf-refused': [{ then: [{ status: 'REFUNDED', after_ms: LATER_MS }] }, deaf],
  // The order succeeds before its transaction does.
  'in-part': [
    {
      then: [
        { status: 'SUCCESS', transactions: ['PENDING'] },
        { status: 'SUCCESS', after_ms: LATER_MS },
      ],
    },
  ],
  silent: ended('SUCCESS', { mode: 'never' }),
  'refused-silent': ended('REFUNDED', { mode: 'never' }),
  twice: ended('SUCCESS', { mode: 'twice' }),
  'late-callback': ended('SUCCESS', { delay_ms: 10_000 }),
  'taken-back': [{ then: [{ status: 'SUCCESS' }, { status: 'REFUNDED', after_ms: LATER_MS }] }],
} satisfies Record<string, Json[]>;

/** Lapakgaming: queried by our reference, under which it sells once; its callbacks are not signed. */
export const lapakgaming: VendorKind = {
  code: 'lapak',
  adapter: 'lapakgaming',
  path: '',
  credentials: { secret_key: SECRET_KEY },
  currency: 'IDR',
  rate: '0.0021',
  account: {
    balance: BALANCE,
    categories: [
      { code: 'CHAOS', forms: [form('user_id'), form('additional_id')] },
      { code: 'CHAOSV', variant: 'VOUCHER', forms: [] },
    ],
    products: Object.values(ARTICLES).map(product),
  },
  readings: {},
  changes: {
    poor: { balance: 100 },
    rich: { balance: BALANCE },
    locked: { secret_key: 'another' },
    open: { secret_key: SECRET_KEY },
  },
  isWell: ({ balance, secret_key }) => secret_key === SECRET_KEY && Number(balance) > BALANCE / 2,
  callBackAt: (url) => ({ product_callback_url: url }),
  articles: ARTICLES,
  playerOf: (userId) => userId,
  behaviours: BEHAVIOURS,
  refusing: ['stock-empty', 'price-changed', 'refused', 'refused-drop', 'deaf-refused', 'refused-silent'],
  boughtLate: [],
  stated: [],
  boughtTwice: [],
  contradictions: {},
  cardRules: [
    { drop: true },
    { drop: true, decide: false },
    { then: [{ status: 'REFUNDED', after_ms: LATER_MS }] },
    // A success without its code, which comes later.
    {
      then: [
        { status: 'SUCCESS', voucher_code: '' },
        { status: 'SUCCESS', after_ms: LATER_MS },
      ],
    },
    { callback: { mode: 'twice' } },
    { code: 'STOCK_NOT_FOUND' },
  ],
  refusalsOfUs: ['UNAUTHORIZED', 'INSUFFICIENT_BALANCE'],
  codeIn: ({ code }) => code,
  isTimeFast: false,
  gapMs: null,
  leavesInDoubt: null,
  tellsCostLater: false,
  namesOf: ({ tid }) => [String(tid)],
  playerIn: ({ user_id }) => String(user_id),
  codesIn: ({ voucher_codes }) => voucher_codes as string[],
  isPurchase: ({ call }) => call === 'order',
  isSigned: false,
  forgeries: ({ reference, name, isSuccess }) => {
    const status = isSuccess ? 'SUCCESS' : 'REFUNDED';
    const transaction = { id: '1', product_name: '', note: '', status, voucher_code: 'FORGED-CODE' };
    const data = { status, tid: name, reference_id: reference, transactions: [transaction] };
    const body = JSON.stringify({ code: 'SUCCESS', data });
    return [{ how: 'by anybody', headers: { 'content-type': 'application/json' }, body }];
  },
};
