import { failureMessageOf } from './failures.js';
import type { Outcome, Purchase, PurchaseBook } from './purchases.js';

const OPENING_BALANCE_SATANG = 100_000_000;
const UNIT_COST_SATANG = 1_000;

/** The state of one unit as the supplier protocol puts it. */
export type TopUpResult =
  | { reference: string; status: 'succeeded'; supplier_reference: string | null }
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

/** What the unit has come to by now. */
export function resultOf(book: PurchaseBook, purchase: Purchase): TopUpResult {
  const { reference, failureCode, supplierReference } = purchase;
  if (book.outcomeOf(purchase) === 'processing') return processingResult(purchase);
  if (failureCode === null) return { reference, status: 'succeeded', supplier_reference: supplierReference };
  return {
    reference,
    status: 'failed',
    failure_code: failureCode,
    failure_message: failureMessageOf(failureCode),
  };
}

/** The answer `processing`, whatever the unit has come to. */
export function processingResult(purchase: Purchase): TopUpResult {
  return { reference: purchase.reference, status: 'processing' };
}

/** What is left of 1000000.00 THB when every unit bought cost 10.00; below zero once that is spent. */
export function balanceOf(book: PurchaseBook): { balance: string; currency: 'THB' } {
  const satang = OPENING_BALANCE_SATANG - UNIT_COST_SATANG * book.countSucceeded();
  const digits = String(Math.abs(satang)).padStart(3, '0');
  const sign = satang < 0 ? '-' : '';
  return { balance: `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`, currency: 'THB' };
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
