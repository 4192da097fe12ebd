import type { Account, Company } from './model.js';

export const DEFAULT_ACCOUNT: Account = {
  username: 'demo-wepay',
  password: 'p4ss-Test',
  allow_list: ['127.0.0.1', '::1'],
  available: 10_000_000,
  code: null,
  callback_from: null,
};

/** A company from which any amount can be bought at any time, with `changes`. */
export function company(changes: Partial<Company> & Pick<Company, 'company_id' | 'type'>): Company {
  return {
    company_name: changes.company_id,
    fee: '0',
    refundable: false,
    denomination: [],
    congestion: [],
    gameservers: [],
    refs_format: {},
    sof_min: '1',
    sof_max: '30000',
    discount: '0',
    code: null,
    ...changes,
  };
}

const prices = (...all: string[]): Company['denomination'] =>
  all.map((price) => ({ price, description: `<b>${price}</b> THB` }));

const GENSHIN_SERVERS = [
  { value: 'AS', name: 'Asia' },
  { value: 'EU', name: 'Europe' },
];

export const DEFAULT_COMPANIES: readonly Company[] = [
  company({
    company_id: 'FREEFIRE',
    type: 'gtopup',
    discount: '4',
    denomination: prices('90', '90.02', '23.5'),
    refs_format: { ref1: '/^[0-9]{5,12}$/' },
  }),
  company({
    company_id: 'MLBB',
    type: 'gtopup',
    discount: '3.5',
    denomination: prices('50', '100', '250'),
    refs_format: { ref1: '/^[0-9]{5,12} [0-9]{1,7}$/' },
  }),
  company({
    company_id: 'GENSHIN',
    type: 'gtopup',
    discount: '2',
    denomination: prices('35', '179'),
    gameservers: GENSHIN_SERVERS,
    refs_format: { ref1: '/^[0-9]{9,10} [A-Z]{2}$/' },
  }),
  company({ company_id: 'SOLDOUT', type: 'gtopup', denomination: prices('0') }),
  company({
    company_id: 'CONGESTED',
    type: 'gtopup',
    discount: '1',
    denomination: prices('100'),
    congestion: ['The operator is slow'],
  }),
  company({
    company_id: '12CALL',
    type: 'mtopup',
    discount: '3',
    refundable: true,
    denomination: prices('10', '20', '50'),
    refs_format: { ref1: '/^0[0-9]{9}$/' },
  }),
  company({ company_id: 'RAZER', type: 'cashcard', discount: '5', denomination: prices('50', '100') }),
  company({ company_id: 'PEA', type: 'billpay', fee: '10', refs_format: { ref1: '/^[0-9]{8,12}$/' } }),
];
