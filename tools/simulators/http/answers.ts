import { createHash } from 'node:crypto';
import { isCard } from './behaviours.js';
import { failureMessageOf } from './failures.js';
import type { Outcome, Purchase, PurchaseBook } from './purchases.js';

const OPENING_BALANCE_SATANG = 100_000_000;
const UNIT_COST_SATANG = 1_000;

/** The delivery of a card. */
interface Card {
  serial: string;
  code: string;
  expires_on: string;
}

/** The state of one unit in the supplier protocol. */
export type TopUpResult =
  | { reference: string; status: 'succeeded'; supplier_reference: string | null; deliveries?: Card[] }
  | { reference: string; status: 'failed'; failure_code: string; failure_message: string }
  | { reference: string; status: 'processing' };

/** One element of `GET /purchases`. */
export interface PurchaseListing {
  reference: string;
  sku: string;
  user_id: string;
  server_id: string | null;
  character_id: string | null;
  outcome: Outcome;
  failure_code: string | null;
  supplier_reference: string | null;
  received: number;
}

/** The present result of the unit. */
export function resultOf(book: PurchaseBook, purchase: Purchase): TopUpResult {
  const { reference, failureCode, supplierReference } = purchase;
  if (book.outcomeOf(purchase) === 'processing') return processingResult(purchase);
  if (failureCode === null) {
    const deliveries = isCard(purchase.sku) ? { deliveries: [cardOf(purchase)] } : {};
    return { reference, status: 'succeeded', supplier_reference: supplierReference, ...deliveries };
  }
  return {
    reference,
    status: 'failed',
    failure_code: failureCode,
    failure_message: failureMessageOf(failureCode),
  };
}

/** A generated card: always the same for one purchase, and different for every other. */
function cardOf({ supplierReference }: Purchase): Card {
  const digest = createHash('sha256').update(String(supplierReference)).digest('hex').toUpperCase();
  const code = digest.match(/.{4}/g)?.slice(0, 4).join('-') ?? digest;
  return { serial: digest.slice(-12), code, expires_on: '2099-12-31' };
}

/** The answer `processing`, independent of the unit's result. */
export function processingResult(purchase: Purchase): TopUpResult {
  return { reference: purchase.reference, status: 'processing' };
}

/** 1000000.00 THB less 10.00 for each bought unit; it may fall below zero. */
export function balanceOf(book: PurchaseBook): { balance: string; currency: 'THB' } {
  const satang = OPENING_BALANCE_SATANG - UNIT_COST_SATANG * book.countSucceeded();
  const digits = String(Math.abs(satang)).padStart(3, '0');
  const sign = satang < 0 ? '-' : '';
  return { balance: `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`, currency: 'THB' };
}

/** The most purchases on a page of the supplier's list. */
const PAGE = 100;

/** An element of the supplier's own list: the result of the unit, and its request. */
type ListedTopUp = TopUpResult & {
  sku: string;
  user_id: string;
  server_id: string | null;
  character_id: string | null;
  created_at: string;
  cost: string;
  currency: 'THB';
};

/**
 * `GET /v1/top-ups`: the units whose first request arrived at `sinceMs` or later, oldest first.
 * @param begin the number of units on record before the page.
 */
export function listTopUps(
  book: PurchaseBook,
  sinceMs: number,
  begin: number,
): { data: ListedTopUp[]; next_cursor: string | null } {
  const data: ListedTopUp[] = [];
  let place = 0;
  for (const purchase of book.all()) {
    if (place++ < begin || recordedAtMs(purchase) < sinceMs) continue;
    if (data.length === PAGE) return { data, next_cursor: String(place - 1) };
    data.push(toListed(book, purchase));
  }
  return { data, next_cursor: null };
}

const recordedAtMs = (purchase: Purchase): number => purchase.recordedAtMs ?? purchase.settlesAtMs;

/** The list has no codes, because they are delivered once. */
function toListed(book: PurchaseBook, purchase: Purchase): ListedTopUp {
  const result: TopUpResult & { deliveries?: Card[] } = resultOf(book, purchase);
  delete result.deliveries;
  const { sku, userId: user_id, serverId: server_id, characterId: character_id } = purchase;
  return {
    ...result,
    sku,
    user_id,
    server_id,
    character_id,
    created_at: new Date(recordedAtMs(purchase)).toISOString(),
    cost: '10.00',
    currency: 'THB',
  };
}

/** Every unit on record, in the order of their first arrival. */
export function listPurchases(book: PurchaseBook): PurchaseListing[] {
  return Array.from(book.all(), (purchase) => {
    const outcome = book.outcomeOf(purchase);
    return {
      reference: purchase.reference,
      sku: purchase.sku,
      user_id: purchase.userId,
      server_id: purchase.serverId,
      character_id: purchase.characterId,
      outcome,
      failure_code: outcome === 'failed' ? purchase.failureCode : null,
      supplier_reference: outcome === 'succeeded' ? purchase.supplierReference : null,
      received: purchase.received,
    };
  });
}
