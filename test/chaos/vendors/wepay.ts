import { LATER_MS, ON_THE_WAY, SERVER_ID, type Json, type VendorKind } from './vendor-kind.js';

const PASSWORD = 'p4ss-Test';
/** More than a run spends. */
const BALANCE = '1000000.00';

const sku = (type: string, company: string, amount: string): string => `${type}:${company}:${amount}`;

/** The vendor's discount is 4 %. */
const ARTICLES = {
  first: { supplierSku: sku('gtopup', 'CHAOS', '25'), cost: '24.00' },
  second: { supplierSku: sku('gtopup', 'CHAOS', '25.02'), cost: '24.02' },
  only: { supplierSku: sku('gtopup', 'CHAOS', '23.50'), cost: '22.56' },
  code: { supplierSku: sku('cashcard', 'CHAOSCARD', '20'), cost: '19.20' },
};

const prices = (...all: string[]): Json[] => all.map((price) => ({ price, description: price }));

const ended = (status: string, callback: Json): Json[] => [{ then: [{ status, after_ms: LATER_MS }], callback }];

const BEHAVIOURS = {
  ...ON_THE_WAY,
  // It arrives after the caller has given up.
  late: [{ delay_before_ms: 2_500 }],
  'bought-504': [{ http: 504 }],
  'bought-error': [{ code: '10001', answer_only: true }],
  'lost-error': [{ code: '10004' }],
  'too-often': [{ code: '10003' }],
  // The vendor cannot be queried by our reference, so only the operator can learn the outcome.
  'bought-silent': [{ drop: true, callback: { mode: 'never' } }],
  // Not for ever, because nothing is recorded and the unit would stay in doubt.
  'no-such-company': [{ code: '30001', times: 4 }],
  'wrong-player': [{ code: '30009', times: 4 }],
  'deposit-low': [{ drop: true }, { match: { repeat: true }, code: '30019', answer_only: true }],
  refused: ended('4', {}),
  'refused-drop': [{ drop: true, then: [{ status: '4', after_ms: LATER_MS }] }],
  'refused-silent': ended('4', { mode: 'never' }),
  silent: ended('2', { mode: 'never' }),
  twice: ended('2', { mode: 'twice' }),
  swapped: ended('2', { mode: 'out_of_order' }),
  'late-callback': ended('2', { delay_ms: 10_000 }),
  'early-callback': [{ callback: { mode: 'before_answer' }, delay_ms: 800 }],
  'taken-back': [{ then: [{ status: '2' }, { status: '4', after_ms: LATER_MS }] }],
} satisfies Record<string, Json[]>;

/** wePAY: queried by its own reference; without one by another send, which reports only that the vendor has the purchase. */
export const wepay: VendorKind = {
  code: 'wepay',
  adapter: 'wepay',
  path: '',
  credentials: { username: 'demo-wepay', password: PASSWORD },
  currency: 'THB',
  rate: '1',
  account: {
    balance: BALANCE,
    companies: [
      {
        company_id: 'CHAOS',
        type: 'gtopup',
        discount: '4',
        denomination: prices('25', '25.02', '23.5'),
      },
      { company_id: 'CHAOSCARD', type: 'cashcard', discount: '4', denomination: prices('20') },
    ],
  },
  readings: {},
  changes: {
    poor: { balance: '1.00' },
    rich: { balance: BALANCE },
    locked: { password: 'another' },
    open: { password: PASSWORD },
  },
  isWell: ({ balance, password }) => password === PASSWORD && Number(balance) > Number(BALANCE) / 2,
  callBackAt: null,
  articles: ARTICLES,
  playerOf: (userId) => `${userId} ${SERVER_ID}`,
  behaviours: BEHAVIOURS,
  refusing: ['no-such-company', 'refused', 'refused-drop', 'refused-silent'],
  boughtLate: [],
  stated: [],
  boughtTwice: [],
  contradictions: {},
  cardRules: [
    { drop: true },
    { drop: true, decide: false },
    { then: [{ status: '4', after_ms: LATER_MS }] },
    { callback: { mode: 'never' } },
    { callback: { mode: 'twice' } },
    { code: '30001' },
  ],
  refusalsOfUs: ['20001', '20003', '20004', '20005', '30019'],
  codeIn: ({ code }) => code,
  isTimeFast: false,
  gapMs: 10_000,
  leavesInDoubt: 'silence',
  tellsCostLater: false,
  namesOf: ({ operator_trxnsid, transactions }) =>
    [operator_trxnsid, transactions.at(-1)?.trx_id].filter((name): name is string => !!name),
  playerIn: ({ player, type }) => (type === 'cashcard' ? null : String(player)),
  codesIn: ({ transactions }) =>
    transactions.flatMap(({ pin }) => (typeof pin === 'string' && pin !== '' ? [pin] : [])),
  isPurchase: ({ call }) => call === 'purchase',
  isSigned: false,
  forgeries: ({ reference, name, isSuccess }) => {
    const status = isSuccess ? '2' : '4';
    const card = { cashcard_ref1: 'FORGED', cashcard_ref2: 'FORGED-PIN' };
    const about = { dest_ref: reference, transaction_id: name, operator_trxnsid: name };
    const body = new URLSearchParams({ ...about, status, sms: '', ...card }).toString();
    return [{ how: 'by anybody', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }];
  },
};
