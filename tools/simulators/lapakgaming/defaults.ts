import type { Account, Category, Form, Product } from './model.js';

export const DEFAULT_ACCOUNT: Account = {
  secret_key: 'lapak-5c20d7be-test',
  allow_list: ['127.0.0.1', '::1'],
  balance: 10_000_000,
  code: null,
  callback_url: null,
  product_callback_url: null,
  callback_from: null,
  fx_rates: [{ from_currency: 'USD', to_currency: 'IDR', buy_rate: 16_150, sell_rate: 16_350 }],
  made_up_products: 0,
};

const USER_ID: Form = { name: 'user_id', type: 'tel', options: [] };
const ZONE: Form = { name: 'additional_id', type: 'tel', options: [] };
const SERVER: Form = {
  name: 'additional_id',
  type: 'option',
  options: [
    { value: 'os_asia', name: 'Asia' },
    { value: 'os_usa', name: 'America' },
  ],
};

/** A category whose products need only a user id, with `changes`. */
export function category(changes: Partial<Category> & { readonly code: string }): Category {
  return {
    name: `Category ${changes.code}`,
    variant: 'DIGITAL',
    check_id: '',
    country_code: 'id',
    forms: [USER_ID],
    servers: [],
    allowed: true,
    end_user_ip: false,
    ...changes,
  };
}

export const DEFAULT_CATEGORIES: readonly Category[] = [
  category({ code: 'ML', name: 'Mobile Legends', check_id: 'mobile-legends', forms: [USER_ID, ZONE] }),
  category({ code: 'FF', name: 'Free Fire' }),
  category({ code: 'FF', name: 'Free Fire', country_code: 'th' }),
  category({
    code: 'GI',
    name: 'Genshin Impact',
    forms: [USER_ID, SERVER],
    servers: SERVER.options,
    end_user_ip: true,
  }),
  category({ code: 'VCGS', name: 'Garena Shells', variant: 'VOUCHER', forms: [] }),
  category({ code: 'DR', name: 'Closed to this reseller', allowed: false }),
];

/**
 * A product that can be bought, with `changes`. The part of a code after the first dash is the provider, unless
 * `changes` names another.
 */
export function product(changes: Partial<Product> & { readonly code: string }): Product {
  return {
    category_code: 'ML',
    name: `Product ${changes.code}`,
    provider_code: changes.code.split('-')[1] ?? '',
    price: 10_000,
    process_time: 0,
    country_code: 'id',
    status: 'available',
    refused_with: null,
    ends: 'SUCCESS',
    stock: null,
    ...changes,
  };
}

/** The vendor's products for tests of the development address. ASD is missing on purpose. */
export const DEVELOPMENT_PRODUCTS: readonly Product[] = [
  product({ code: 'ML78_8-S2', name: '86 Diamonds ( 78 + 8 Bonus )', price: 16_560 }),
  product({
    code: 'VCGS330-S22',
    category_code: 'VCGS',
    name: 'Garena Shells 330',
    price: 93_000,
    process_time: 1,
  }),
  product({ code: 'ML4649_883-S42', name: '5532 Diamonds', price: 1_120_000, ends: 'PENDING' }),
  product({ code: 'ML156_16-S42', name: '172 Diamonds', price: 38_500, refused_with: 'PRODUCT_EMPTY' }),
  product({ code: 'ML234_23-S2', name: '257 Diamonds', price: 57_600, refused_with: 'PROVIDER_NOT_FOUND' }),
  product({ code: 'ML625_81-S2', name: '706 Diamonds', price: 153_000, refused_with: 'PROVIDER_INACTIVE' }),
  product({
    code: 'ML7740_1548-S42',
    name: '9288 Diamonds',
    price: 1_870_000,
    refused_with: 'INSUFFICIENT_BALANCE',
  }),
];

export const DEFAULT_PRODUCTS: readonly Product[] = [
  ...DEVELOPMENT_PRODUCTS,
  product({ code: 'ML78_8-S42', name: '86 Diamonds ( 78 + 8 Bonus )', price: 16_200, process_time: 30 }),
  product({ code: 'ML13_1-S27', name: '14 Diamonds', price: 3_300, status: 'empty' }),
  product({ code: 'FF70-S1', category_code: 'FF', name: '70 Diamonds', price: 9_100 }),
  product({ code: 'FF70-S1-th', category_code: 'FF', name: '70 Diamonds', price: 9_900, country_code: 'th' }),
  product({ code: 'GI60-S13', category_code: 'GI', name: '60 Genesis Crystals', price: 14_900 }),
  product({ code: 'VCGS66-S22', category_code: 'VCGS', name: 'Garena Shells 66', price: 18_600, stock: 0 }),
  product({ code: 'DR10-S1', category_code: 'DR', name: 'Closed to this reseller' }),
];
