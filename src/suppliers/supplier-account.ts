import { createHash } from 'node:crypto';
import type { AdapterDescription } from './adapter-description.js';
import type { Changes } from './supplier-settings.js';
import type { Supplier } from './supplier.entity.js';

const FINGERPRINT_LENGTH = 16;

interface NewSettings {
  description: AdapterDescription;
  credentials?: Changes | undefined;
  options?: Changes | undefined;
  /** As it is stored, under the same adapter. */
  before: Pick<Supplier, 'account' | 'options'> | undefined;
  /** Opens the credentials that it has. */
  open: () => Record<string, string>;
}

/**
 * A fingerprint of what a supplier will know our account by: empty where no setting tells accounts apart. The credentials
 * that it has are opened only where that may have changed.
 */
export function accountOf({
  description,
  credentials = {},
  options = {},
  before,
  open,
}: NewSettings): string {
  const names = description.credentials.filter(({ isAccount }) => isAccount).map(({ name }) => name);
  const switches = description.options.filter(({ ofAccount }) => ofAccount !== undefined);
  if (names.length + switches.length === 0) return '';
  const isSame = ![...names, ...switches.map(({ name }) => name)].some(
    (name) => credentials[name] !== undefined || options[name] !== undefined,
  );
  if (before && isSame) return before.account;
  const known: Changes = { ...(before && open()), ...credentials };
  const chosen: Changes = { ...before?.options, ...options };
  const parts = [
    ...names.map((name) => known[name] ?? ''),
    ...switches.map(({ name, ofAccount = '' }) => chosen[name] ?? ofAccount),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** Where what is sent to a supplier goes: its address, and our account there. */
export const destinationOf = ({ base_url, account }: Pick<Supplier, 'base_url' | 'account'>): string =>
  account === '' ? base_url : `${base_url}#${account}`;
