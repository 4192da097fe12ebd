import { createHash } from 'node:crypto';
import type { Book, Extent, Range } from './audit.repository.js';
import type { ClosedMonth } from './closed-month.entity.js';
import type { ClosedWallet } from './closed-wallet.entity.js';

const BOOKS = ['orders', 'transfers', 'deliveries'] as const satisfies Book[];

export type WalletClosing = Omit<ClosedWallet, 'month'>;

/** A closing without its hash. */
export type Closing = Omit<ClosedMonth, 'hash'>;

/** SHA-256 of a closing, all its wallets, and the hash of the closing before it. */
export function hashOf(closing: Closing, wallets: readonly WalletClosing[]): Buffer {
  const { checks, left_open: leftOpen, closed_at: closedAt, previous_hash: previous, ...rest } = closing;
  const content = [
    ...['month', 'version', 'closed_by', 'wallets', ...IDS].map((name) => text(rest[name as keyof typeof rest])),
    closedAt.toISOString(),
    previous?.toString('hex') ?? null,
    leftOpen.map(text),
    checks.map(({ name, detail }) => [name, detail]),
    wallets.map((wallet) => AMOUNTS.map((name) => text(wallet[name]))),
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

const text = (value: unknown): string => String(value);

const IDS = BOOKS.flatMap((name) => [`${name}_after`, `${name}_through`, name]);

const AMOUNTS = [
  'merchant_id',
  'last_transfer_id',
  'available',
  'held',
  'credits',
  'debits',
  'holds',
  'spends',
  'refunds',
] as (keyof WalletClosing)[];

/** A closing with its wallets. */
export interface ClosingWithWallets {
  closing: ClosedMonth;
  wallets: readonly WalletClosing[];
}

/** Checks that a closing is unchanged and continues the closing before it. @returns the problem in words; null if none. */
export function problemOf(
  closing: ClosedMonth,
  wallets: readonly WalletClosing[],
  before: ClosingWithWallets | null,
): string | null {
  const { month } = closing;
  if (!hashOf(closing, wallets).equals(closing.hash) || wallets.length !== closing.wallets)
    return `${month} was changed after it was closed`;
  if (before === null)
    return isFirst(closing)
      ? null
      : `${month} is the first closed month, but does not begin with the first row of the books`;
  const continues = isNext(closing, before.closing) && isGrown(wallets, before.wallets);
  return continues ? null : `${month} does not continue ${before.closing.month}`;
}

/**
 * How the orders, movements and wallets of a closing differ from the books, in words; null if they agree. Archived orders count
 * as present.
 */
export function differenceOf(
  { month, orders, transfers }: ClosedMonth,
  wallets: readonly WalletClosing[],
  read: { orders: bigint; archived: bigint; transfers: bigint; wallets: readonly WalletClosing[] },
): string | null {
  if (orders !== read.orders + read.archived) {
    const archived = read.archived === 0n ? '' : ` besides ${read.archived} that are archived`;
    return `${month} was closed with ${orders} orders and has ${read.orders}${archived}`;
  }
  if (transfers !== read.transfers)
    return `${month} was closed with ${transfers} movements of money and has ${read.transfers}`;
  const closed = new Map(wallets.map((wallet) => [wallet.merchant_id, wallet]));
  const other = read.wallets.find((wallet) => {
    const then = closed.get(wallet.merchant_id);
    return !then || AMOUNTS.some((name) => then[name] !== wallet[name]);
  });
  if (other) return `${month} was closed with other amounts of merchant ${other.merchant_id} than the movements make`;
  return wallets.length === read.wallets.length
    ? null
    : `${month} was closed with ${wallets.length} wallets and has ${read.wallets.length}`;
}

export const FROM_THE_START: Extent = { orders: 0n, transfers: 0n, deliveries: 0n };

/** The extent of the closed months. @param last the last of them; undefined if no month is closed. */
export const endOf = (last: ClosedMonth | undefined): Extent =>
  last
    ? { orders: last.orders_through, transfers: last.transfers_through, deliveries: last.deliveries_through }
    : FROM_THE_START;

/** The range of a book between two extents: after the last id of the one, through the last id of the other. */
export const rangeBetween = (from: Extent, to: Extent, book: Book): Range => ({
  after: from[book],
  through: to[book],
});

/** The next month, such as 2027-01 for 2026-12. */
export function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}

const isFirst = (closing: ClosedMonth): boolean =>
  closing.previous_hash === null && BOOKS.every((book) => closing[`${book}_after`] === 0n);

const isNext = (closing: ClosedMonth, before: ClosedMonth): boolean =>
  closing.month === monthAfter(before.month) &&
  closing.previous_hash?.equals(before.hash) === true &&
  BOOKS.every((book) => closing[`${book}_after`] === before[`${book}_through`]);

/** Whether a closing has all wallets of the closing before it, and no lower sum in any of them. */
function isGrown(wallets: readonly WalletClosing[], before: readonly WalletClosing[]): boolean {
  const now = new Map(wallets.map((wallet) => [wallet.merchant_id, wallet]));
  return before.every((earlier) => {
    const later = now.get(earlier.merchant_id);
    return later !== undefined && SUMS.every((name) => later[name] >= earlier[name]);
  });
}

const SUMS = ['last_transfer_id', 'credits', 'debits', 'holds', 'spends', 'refunds'] as const;
