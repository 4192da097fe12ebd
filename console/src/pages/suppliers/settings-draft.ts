import { plainAmount } from '../../kit/read-amount';
import type { components } from '../../schema';
import type { SupplierDetail } from './supplier-view';

export type Adapter = components['schemas']['AdapterDto'];
type SetSupplier = components['schemas']['SetSupplierDto'];

/** The contents of the form, as text. */
export interface Draft {
  code: string;
  adapter: string;
  base_url: string;
  timeout_ms: string;
  max_in_flight: string;
  low_balance: string;
  options: Record<string, string>;
  /** The new values. The API never returns the stored ones. */
  credentials: Record<string, string>;
  /** The names of the credentials to remove. */
  removed: readonly string[];
  new_callback_url: boolean;
  reason: string;
}

const NEW: Draft = {
  code: '',
  adapter: 'http',
  base_url: '',
  timeout_ms: '10000',
  max_in_flight: '',
  low_balance: '',
  options: {},
  credentials: {},
  removed: [],
  new_callback_url: false,
  reason: '',
};

export const draftOf = (supplier: SupplierDetail | undefined): Draft =>
  supplier === undefined
    ? NEW
    : {
        ...NEW,
        code: supplier.code,
        adapter: supplier.adapter,
        base_url: supplier.base_url,
        timeout_ms: String(supplier.timeout_ms),
        max_in_flight: String(supplier.max_in_flight ?? ''),
        low_balance: supplier.low_balance ?? '',
        options: supplier.options,
      };

/** A changed setting with old and new value. A credential has only the kind of its change. */
interface SettingChange {
  name: string;
  old: string | null;
  new: string | null;
  credential?: 'replaced' | 'removed';
}

const PLAIN = ['adapter', 'timeout_ms', 'max_in_flight', 'low_balance'] as const;

/**
 * The address that calls will use. The API reads an empty field as the stored address, or as the default of a new
 * adapter.
 */
function addressOf(before: Pick<Draft, 'adapter' | 'base_url'>, now: Draft, adapter: Adapter | undefined): string {
  const vendors = adapter?.base_url ?? null;
  if (now.base_url.trim() !== '' || vendors === null) return now.base_url.trim();
  return before.adapter === now.adapter ? before.base_url : vendors;
}

export function changesOf(before: Draft, now: Draft, adapter: Adapter | undefined): SettingChange[] {
  const texts = (name: string, old = '', next = ''): SettingChange[] =>
    old.trim() === next.trim() ? [] : [{ name, old: old.trim() || null, new: next.trim() || null }];
  const isSame = before.adapter === now.adapter;
  return [
    ...PLAIN.flatMap((name) => texts(name, before[name], now[name])),
    ...texts('base_url', before.base_url, addressOf(before, now, adapter)),
    ...(adapter?.options ?? []).flatMap(({ name }) =>
      texts(name, isSame ? before.options[name] : '', now.options[name]),
    ),
    ...(adapter?.credentials ?? []).flatMap(({ name }): SettingChange[] => {
      if (now.removed.includes(name)) return [{ name, old: null, new: null, credential: 'removed' }];
      return now.credentials[name] ? [{ name, old: null, new: null, credential: 'replaced' }] : [];
    }),
    ...(now.new_callback_url ? [{ name: 'callback_url', old: null, new: null, credential: 'replaced' as const }] : []),
  ];
}

/** Whether a text is a whole number, or empty. JSON has null for any other one, which means no limit. */
export const isWhole = (text: string): boolean => /^\d*$/.test(text.trim());

/** Whether the draft has everything that its adapter requires. @param stored the names of credentials that remain. */
export function isComplete(draft: Draft, adapter: Adapter, stored: readonly string[]): boolean {
  const hasUrl = draft.base_url.trim() !== '' || adapter.base_url !== null;
  const hasAll = adapter.credentials.every(
    ({ name, required }) => !required || draft.credentials[name] || stored.includes(name),
  );
  const hasNumbers = draft.timeout_ms.trim() !== '' && [draft.timeout_ms, draft.max_in_flight].every(isWhole);
  return draft.code.trim() !== '' && hasNumbers && hasUrl && hasAll;
}

/** Whether calls would go to another host. The API reports an invalid address. */
export function isElsewhere(stored: SupplierDetail, draft: Draft, adapter: Adapter): boolean {
  const address = addressOf(stored, draft, adapter);
  return URL.canParse(address) && new URL(address).origin !== new URL(stored.base_url).origin;
}

const orNull = (text: string): string | null => text.trim() || null;

/** @param dropped the names of stored credentials to remove unless the operator typed new ones. */
export function bodyOf(draft: Draft, { credentials, options }: Adapter, dropped: readonly string[]): SetSupplier {
  const max = orNull(draft.max_in_flight);
  const known = (name: string): boolean => credentials.some((each) => each.name === name);
  const typed = Object.entries(draft.credentials).filter(([name, value]) => known(name) && value !== '');
  return {
    adapter: draft.adapter as SetSupplier['adapter'],
    base_url: draft.base_url.trim() || undefined,
    credentials: Object.fromEntries<string | null>([
      ...dropped.map((name) => [name, null] as const),
      ...typed,
      ...draft.removed.filter(known).map((name) => [name, null] as const),
    ]),
    options: Object.fromEntries(options.map(({ name }) => [name, orNull(draft.options[name] ?? '')])),
    timeout_ms: Number(draft.timeout_ms),
    max_in_flight: max === null ? null : Number(max),
    // The API refuses a text that is no amount.
    low_balance: orNull(plainAmount(draft.low_balance) ?? draft.low_balance),
    new_callback_url: draft.new_callback_url || undefined,
    reason: draft.reason.trim() || undefined,
  };
}
