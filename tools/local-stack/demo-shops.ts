import { createHash } from 'node:crypto';
import { timePart } from '../../src/core/identifiers.js';
import { parseBaht, type Satang } from '../../src/core/money.js';
import { demoCatalogue, type DemoProduct } from './catalogue.js';

/** A merchant of the demo, with its share of the orders. */
export interface DemoShop {
  name: string;
  /** The beginning of its references. */
  prefix: string;
  firstNumber: number;
  /** Out of ten orders. */
  share: number;
  webhook: string;
  deposit: string;
  bank: string;
}

export const demoShops: readonly DemoShop[] = [
  {
    name: 'TopSpeed Game Shop',
    prefix: 'TS-',
    firstNumber: 10382,
    share: 5,
    webhook: 'https://topspeed.example/hooks/topup',
    deposit: '3000.00',
    bank: 'KBANK',
  },
  {
    name: 'Kaikem Topup',
    prefix: 'KK',
    firstNumber: 2211,
    share: 3,
    webhook: 'https://api.kaikem.example/orders/callback',
    deposit: '2000.00',
    bank: 'SCB',
  },
  {
    name: 'NongMai Diamonds',
    prefix: 'NM-',
    firstNumber: 731,
    share: 2,
    webhook: 'https://nongmai.example/webhook',
    deposit: '1500.00',
    bank: 'PROMPTPAY',
  },
];

/** The demo buys at the first supplier, and at the second, which is dearer, what the first refuses. */
export const demoSuppliers = [
  { code: 'lotus-topup', costPercent: 93.6, names: 'LT' },
  { code: 'gamebank', costPercent: 95.8, names: 'GB' },
] as const;

export const satang = (baht: string): Satang => {
  const amount = parseBaht(baht);
  if (amount === null) throw new Error(`${baht} is not an amount`);
  return amount;
};

/** The cost of a unit at a supplier, in millionths of a baht: a share of its lowest selling price. */
export function costMicros({ price, merchantPrice = price }: DemoProduct, supplier: number): bigint {
  const percent = demoSuppliers[supplier]?.costPercent ?? 100;
  return BigInt(Math.round((Number(satang(merchantPrice)) * percent) / 100)) * 10_000n;
}

/** The products that the shops sell, each as often as its share of the sales. */
const BEST_SELLERS = [
  'MLBB-86',
  'MLBB-86',
  'MLBB-86',
  'MLBB-172',
  'MLBB-172',
  'MLBB-WEEKLY',
  'MLBB-WEEKLY',
  'MLBB-706',
  'FF-100',
  'FF-100',
  'FF-100',
  'FF-310',
  'FF-310',
  'ROV-60',
  'ROV-60',
  'ROV-60',
  'PUBGM-60',
  'PUBGM-325',
  'GENSHIN-60',
  'GENSHIN-WELKIN',
  'HSR-60',
  'VALORANT-475',
];
export const sellers: readonly DemoProduct[] = BEST_SELLERS.map((sku) => {
  const product = demoCatalogue.find((each) => each.sku === sku);
  if (!product) throw new Error(`the catalogue has no ${sku}`);
  return product;
});

/** Numbers from 0 to 1 that are the same at each start. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface DemoPlayer {
  userId: string;
  serverId: string | null;
}

/** A player in the format of a game. @param next gives numbers from 0 to 1. */
export function playerOf({ sku }: DemoProduct, next: () => number): DemoPlayer {
  const between = (from: number, to: number): string => String(Math.floor(from + next() * (to - from)));
  const digits = (length: number): string => Array.from({ length }, () => Math.floor(next() * 10)).join('');
  switch (sku.slice(0, sku.indexOf('-'))) {
    case 'MLBB':
      return { userId: between(104_000_000, 1_489_000_000), serverId: between(2_001, 15_999) };
    case 'FF':
      return { userId: between(210_000_000, 3_990_000_000), serverId: null };
    case 'ROV':
      return { userId: `${between(1, 9)}${digits(15)}`, serverId: null };
    case 'PUBGM':
      return { userId: `5${digits(9)}`, serverId: null };
    case 'GENSHIN':
      return { userId: `8${digits(8)}`, serverId: 'os_asia' };
    case 'HSR':
      return { userId: `8${digits(8)}`, serverId: 'prod_official_asia' };
    default: {
      const names = ['PhuKao', 'NamPhueng', 'TonKla', 'MooDeng', 'FahSai', 'KhaoSuay'];
      return { userId: `${names[Math.floor(next() * names.length)] ?? ''}#TH${digits(2)}`, serverId: null };
    }
  }
}

/** An id in the service's format: the time, then characters that depend on `seed` instead of chance. */
export const demoId = (prefix: string, length: number, at: Date, seed: string): string =>
  `${prefix}${timePart(at.getTime())}${hashed(seed, length - 6)}`;

export const hashed = (seed: string, length: number): string =>
  createHash('sha256').update(`demo ${seed}`).digest('base64').replaceAll(/[+/=]/g, '').slice(0, length);
