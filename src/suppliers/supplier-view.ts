import { formatMicros } from '../core/cost-money.js';
import { describeAdapter } from './adapters.js';
import { credentialNames } from './supplier-credentials.service.js';
import type { Supplier } from './supplier.entity.js';

/** What we had left at a supplier when it last told. */
export interface BalanceView {
  /** In the currency's own unit. */
  amount: string;
  currency: string;
  at: string;
  /** Whether it is below what the operator wants to have there. */
  low: boolean;
}

/** A supplier in words of the wire. Of its credentials there are the names only. */
export interface SupplierView {
  code: string;
  adapter: string;
  base_url: string;
  currency: string | null;
  timeout_ms: number;
  credentials: string[];
  options: Record<string, string>;
  status: 'active' | 'paused';
  pause_reason: string | null;
  callback_url: string | null;
  balance: BalanceView | null;
}

/** @param callbackUrl where it calls us; null where it does not. */
export function toSupplierView(supplier: Supplier, callbackUrl: string | null): SupplierView {
  const { code, adapter, base_url, timeout_ms, options, pause_reason } = supplier;
  const balance = toBalanceView(supplier);
  return {
    code,
    adapter,
    base_url,
    currency: balance?.currency ?? describeAdapter(adapter)?.currency ?? null,
    timeout_ms,
    credentials: inOrder(supplier),
    options,
    status: pause_reason === null ? 'active' : 'paused',
    pause_reason,
    callback_url: callbackUrl,
    balance,
  };
}

/** Null where the supplier never told. */
export function toBalanceView({
  balance_micros: micros,
  balance_currency: currency,
  balance_at: at,
  low_balance_micros: lowBelow,
}: Supplier): BalanceView | null {
  if (micros === null || currency === null || at === null) return null;
  const low = lowBelow !== null && micros < lowBelow;
  return { amount: formatMicros(micros), currency, at: at.toISOString(), low };
}

/** The names of its credentials, as its adapter lists them. */
function inOrder(supplier: Supplier): string[] {
  const names = credentialNames(supplier);
  const known = describeAdapter(supplier.adapter)?.credentials.map(({ name }) => name) ?? [];
  return [...known.filter((name) => names.includes(name)), ...names.filter((name) => !known.includes(name))];
}
