import { formatBaht, type Satang } from '../core/money.js';
import type { Transfer } from './transfer.entity.js';

export const ENTRY_KINDS = ['credit', 'debit', 'order_hold', 'order_refund'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type EntryRow = Pick<Transfer, 'id' | 'amount' | 'created_at'> & {
  kind: EntryKind;
  available_after: Satang;
  reference_id: string | null;
  order_number: string | null;
};

/** One movement into or out of the available balance. */
export interface WalletEntry {
  id: number;
  kind: EntryKind;
  amount: string;
  available_amount_after: string;
  reference_id: string | null;
  order_number: string | null;
  created_at: string;
}

export function toEntry(row: EntryRow): WalletEntry {
  const isOutgoing = row.kind === 'debit' || row.kind === 'order_hold';
  return {
    id: Number(row.id),
    kind: row.kind,
    amount: formatBaht(isOutgoing ? -row.amount : row.amount),
    available_amount_after: formatBaht(row.available_after),
    reference_id: row.reference_id,
    order_number: row.order_number,
    created_at: row.created_at.toISOString(),
  };
}
