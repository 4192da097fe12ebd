import { formatMicros } from '../core/cost-money.js';
import { describeAdapter } from './adapters.js';
import { credentialNames } from './supplier-credentials.service.js';
import type { Supplier } from './supplier.entity.js';

/** The balance that a supplier last reported. */
interface BalanceView {
  /** The balance in the currency's own unit. */
  amount: string;
  currency: string;
  at: string;
  /** Whether the balance is below the operator's limit. */
  low: boolean;
}

/** A supplier as commands and pages show it, with only the names of its credentials. */
export interface SupplierView {
  code: string;
  adapter: string;
  base_url: string;
  currency: string | null;
  timeout_ms: number;
  /** The limit of calls in flight over all workers; null for the limit of the environment. */
  max_in_flight: number | null;
  /** A balance below this amount counts as low; null for no limit. */
  low_balance: string | null;
  credentials: string[];
  options: Record<string, string>;
  status: 'active' | 'paused';
  pause_reason: string | null;
  callback_url: string | null;
  balance: BalanceView | null;
}

/** @param callbackUrl null if the supplier does not call us. */
export function toSupplierView(supplier: Supplier, callbackUrl: string | null): SupplierView {
  const { code, adapter, base_url, timeout_ms, max_in_flight, options, pause_reason } = supplier;
  const { low_balance_micros: low } = supplier;
  const balance = toBalanceView(supplier);
  return {
    code,
    adapter,
    base_url,
    currency: balance?.currency ?? describeAdapter(adapter)?.currency ?? null,
    timeout_ms,
    max_in_flight,
    low_balance: low === null ? null : formatMicros(low),
    credentials: inOrder(supplier),
    options,
    status: pause_reason === null ? 'active' : 'paused',
    pause_reason,
    callback_url: callbackUrl,
    balance,
  };
}

/** Null if the supplier has no reported balance. */
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

/** The names of the supplier's credentials, in the order of the adapter's description. */
function inOrder(supplier: Supplier): string[] {
  const names = credentialNames(supplier);
  const known = describeAdapter(supplier.adapter)?.credentials.map(({ name }) => name) ?? [];
  return [...known.filter((name) => names.includes(name)), ...names.filter((name) => !known.includes(name))];
}
