import { createHash, scryptSync } from 'node:crypto';
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
  /** Whether the operator says that it is the account that it was. */
  isSameAccount?: boolean | undefined;
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
  isSameAccount = false,
  open,
}: NewSettings): string {
  const fields = description.credentials.filter(({ isAccount }) => isAccount);
  const names = fields.map(({ name }) => name);
  const switches = description.options.filter(({ ofAccount }) => ofAccount !== undefined);
  if (names.length + switches.length === 0) return '';
  const isGiven = [...names, ...switches.map(({ name }) => name)].some(
    (name) => credentials[name] !== undefined || options[name] !== undefined,
  );
  if (before && (!isGiven || isSameAccount)) return before.account;
  const opened = before
    ? openedOf(
        open,
        names.every((name) => credentials[name]),
      )
    : {};
  const parts = (known: Changes, chosen: Changes): string[] => [
    ...names.map((name) => known[name] ?? ''),
    ...switches.map(({ name, ofAccount = '' }) => chosen[name] ?? ofAccount),
  ];
  const [was, is] = [
    parts(opened, before?.options ?? {}),
    parts({ ...opened, ...credentials }, { ...before?.options, ...options }),
  ];
  // The account of what was set by a version that knew no more of it stays nameless.
  if (before && was.join('\0') === is.join('\0')) return before.account;
  return is.every((part) => part === '')
    ? ''
    : fingerprintOf(is.map((part, place) => (fields[place]?.secret ? hardened(part) : part)));
}

/** @param areGiven whether all are given anew that count: those that can't be opened any more are not needed then. */
function openedOf(open: NewSettings['open'], areGiven: boolean): Changes {
  try {
    return open();
  } catch (error) {
    if (!areGiven) throw error;
    return {};
  }
}

/** A secret stays one, even one that is easily guessed. */
const hardened = (secret: string): string => scryptSync(secret, 'supplier account', 32).toString('hex');

function fingerprintOf(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** Where what is sent to a supplier goes: its address, and our account there. */
export const destinationOf = ({ base_url, account }: Pick<Supplier, 'base_url' | 'account'>): string =>
  account === '' ? base_url : `${base_url}#${account}`;
