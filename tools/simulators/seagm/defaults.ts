import type { Account, ProductType } from './model.js';

export const DEFAULT_ACCOUNT: Account = {
  uid: '10001',
  secret_key: 'seagm-test-secret',
  currency: 'MYR',
  available: 100_000_000,
  code: null,
  callback_url: null,
  callback_from: null,
};

const field = (name: string): ProductType['fields'][number] => ({ name, label: name, type: 'text' });

/** A direct top-up that needs a user id, with `changes`. */
export function productType(changes: Partial<ProductType> & Pick<ProductType, 'id'>): ProductType {
  const kind = changes.kind ?? 'recharge';
  return {
    kind,
    category_id: 1,
    category_name: 'Free Fire',
    name: `Type ${changes.id}`,
    par_value: '1',
    par_value_currency: 'MYR',
    unit_price: '1.00',
    account_check: false,
    fields: kind === 'card' ? [] : [field('userid')],
    ...changes,
  };
}

const LEGENDS = {
  category_id: 2,
  category_name: 'Mobile Legends',
  account_check: true,
  fields: [field('userid'), field('serverid')],
};
const GOLD = { kind: 'card', category_id: 3, category_name: 'Razer Gold' } as const;

export const DEFAULT_TYPES: readonly ProductType[] = [
  productType({ id: 6401, name: '100 Diamonds', unit_price: '4.35' }),
  productType({ id: 6402, name: '310 Diamonds', unit_price: '12.995' }),
  productType({ id: 6351, name: '86 Diamonds', unit_price: '5.7001', ...LEGENDS }),
  productType({ id: 901, name: 'MYR 10', par_value: '10', unit_price: '9.80', ...GOLD }),
  productType({ id: 902, name: 'MYR 20', par_value: '20', unit_price: '19.60', ...GOLD }),
];
