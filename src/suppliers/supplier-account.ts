import { createHash, scryptSync } from 'node:crypto';
import type { AdapterDescription } from './adapter-description.js';
import type { Changes } from './supplier-settings.js';
import type { Supplier } from './supplier.entity.js';

const FINGERPRINT_LENGTH = 16;

interface NewSettings {
  description: AdapterDescription;
  credentials?: Changes | undefined;
  options?: Changes | undefined;
  /** The stored row, if its adapter is the same. */
  before: Pick<Supplier, 'account' | 'options'> | undefined;
  /** Whether the operator says that the account is the same. */
  isSameAccount?: boolean | undefined;
  /** Opens the stored credentials. */
  open: () => Record<string, string>;
}

/**
 * A fingerprint of the settings that identify our account at a supplier; empty if no setting identifies it. Opens the stored
 * credentials only if the account may have changed.
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
  const accountOptions = description.options.filter(({ ofAccount }) => ofAccount !== undefined);
  if (names.length + accountOptions.length === 0) return '';
  const isGiven = [...names, ...accountOptions.map(({ name }) => name)].some(
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
    ...accountOptions.map(({ name, ofAccount = '' }) => chosen[name] ?? ofAccount),
  ];
  const [oldParts, newParts] = [
    parts(opened, before?.options ?? {}),
    parts({ ...opened, ...credentials }, { ...before?.options, ...options }),
  ];
  // A supplier that an older version of the service set has no fingerprint. It gets none while its account stays the same.
  if (before && oldParts.join('\0') === newParts.join('\0')) return before.account;
  return newParts.every((part) => part === '')
    ? ''
    : fingerprintOf(newParts.map((part, place) => (fields[place]?.secret ? hardened(part) : part)));
}

/**
 * @param areGiven whether the operator entered all credentials that identify the account. Then it does not matter if
 * opening fails.
 */
function openedOf(open: NewSettings['open'], areGiven: boolean): Changes {
  try {
    return open();
  } catch (error) {
    if (!areGiven) throw error;
    return {};
  }
}

/** Protects secrets that are easy to guess. */
const hardened = (secret: string): string => scryptSync(secret, 'supplier account', 32).toString('hex');

function fingerprintOf(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_LENGTH);
}

/** Where sends to a supplier go: its address and our account there. */
export const destinationOf = ({ base_url, account }: Pick<Supplier, 'base_url' | 'account'>): string =>
  account === '' ? base_url : `${base_url}#${account}`;

type Addressed = Pick<Supplier, 'id' | 'adapter' | 'base_url' | 'account'>;

/**
 * Whether two rows of a supplier have the same adapter, address and account. They may differ if an operator set the
 * supplier during a call.
 */
export const isSameDestination = (one: Addressed, other: Addressed): boolean =>
  one.id === other.id && one.adapter === other.adapter && destinationOf(one) === destinationOf(other);
