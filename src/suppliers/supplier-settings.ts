import { isBaseUrl, withoutTrailingSlashes } from '../core/urls.js';
import { AppError, invalidRequest } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import type { AdapterDescription, DescribedAdapter, CredentialField } from './adapter-description.js';
import type { Supplier } from './supplier.entity.js';

export const DEFAULT_TIMEOUT_MS = 10_000;
export const MAX_TIMEOUT_MS = 600_000;
export const MAX_IN_FLIGHT = 10_000;
const MAX_CREDENTIAL_LENGTH = 4_096;
const MAX_OPTION_LENGTH = 255;

/** New values by name. Null removes a value. Values that are not named here stay. */
export type Changes = Record<string, string | null>;

export interface SupplierSettings {
  code: string;
  adapter: string;
  /** Required unless the adapter has a base URL. Then the default is the stored URL, or for a new supplier the adapter's. */
  baseUrl?: string | undefined;
  /** Credentials that are not given stay, because operators cannot read credentials back. */
  credentials?: Changes | undefined;
  options?: Changes | undefined;
  timeoutMs?: number | undefined;
  /** The balance below which operators are warned, in millionths of its currency; null for none, undefined for no change. */
  lowBalanceMicros?: bigint | null | undefined;
  /** The maximum of calls in flight to the supplier, over all workers; null for the usual limit, undefined for no change. */
  maxInFlight?: number | null | undefined;
  /** Whether the supplier gets a new callback address. */
  newCallbackUrl?: boolean | undefined;
  /** Whether the account is the same even if the credentials differ. */
  isSameAccount?: boolean | undefined;
  /** Whether the new address is another address of the same supplier, so that it knows the units sent to the old address. */
  hasMoved?: boolean;
}

/**
 * The base URL of a supplier with new settings.
 * @param before the stored row, if its adapter is the same.
 * @throws BAD_REQUEST if neither the operator nor the adapter has named a base URL.
 */
export function baseUrlOf(
  { adapter, baseUrl: adapterUrl }: AdapterDescription,
  given: string | undefined,
  before: Pick<Supplier, 'base_url'> | undefined,
): string {
  const baseUrl = given ?? (adapterUrl === null ? null : (before?.base_url ?? adapterUrl));
  if (baseUrl !== null) return withoutTrailingSlashes(baseUrl);
  throw new AppError('BAD_REQUEST', `a base URL is required: the adapter ${adapter} has none`);
}

/** The problem of a supplier's code; null if there is none. */
export function codeProblem(code: string): string | null {
  const problem = textProblem(code, 1, 64);
  return problem === null ? null : `the supplier's code ${problem}`;
}

/** The first problem of the given settings alone, regardless of the stored settings; null if there is none. */
export function settingsProblem(
  { credentials = {}, options = {}, timeoutMs = DEFAULT_TIMEOUT_MS, maxInFlight, newCallbackUrl }: SupplierSettings,
  description: DescribedAdapter,
  baseUrl: string,
): string | null {
  const problem = baseUrlProblem(baseUrl);
  if (problem !== null) return problem;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    return `the timeout must be a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`;
  }
  if (newCallbackUrl && !description.capabilities.includes('callbacks')) {
    return `the adapter ${description.adapter} takes no callbacks`;
  }
  if (maxInFlight && (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > MAX_IN_FLIGHT)) {
    return `the number of calls in flight must be a whole number, 1 to ${MAX_IN_FLIGHT}`;
  }
  return credentialsProblem(credentials, description) ?? optionsProblem(options, description);
}

export const baseUrlProblem = (baseUrl: string): string | null =>
  isBaseUrl(baseUrl)
    ? null
    : 'the base URL must be an http or https URL without credentials, query, fragment or blanks';

/** The first problem of credentials, without a look at the stored ones; null if there is none. */
export const credentialsProblem = (
  changes: Changes,
  description: Pick<AdapterDescription, 'adapter' | 'credentials'>,
): string | null => changesProblem('credential', changes, description, description.credentials, credentialProblem);

/** The first problem of options, without a look at the stored ones; null if there is none. */
export const optionsProblem = (
  changes: Changes,
  description: Pick<AdapterDescription, 'adapter' | 'options'>,
  maxLength = MAX_OPTION_LENGTH,
): string | null =>
  changesProblem('option', changes, description, description.options, ({ values }, value) =>
    values === null || values.includes(value)
      ? textProblem(value, 1, maxLength)
      : `must be one of ${values.join(', ')}`,
  );

/** Names the missing required credentials; null if none is missing. @param names of the existing credentials. */
export function missingProblem(
  { adapter, credentials }: Pick<AdapterDescription, 'adapter' | 'credentials'>,
  names: string[],
): string | null {
  const missing = credentials.filter(({ name, required }) => required && !names.includes(name));
  if (missing.length === 0) return null;
  return `the adapter ${adapter} requires the credentials ${missing.map(({ name }) => name).join(', ')}`;
}

/**
 * The operator must enter secrets again for another host: otherwise an operator could send stored ones to any host.
 * @param names of the stored credentials. @throws BAD_REQUEST
 */
export function assertSecretsStay(
  { credentials }: Pick<AdapterDescription, 'credentials'>,
  names: readonly string[],
  given: Changes,
  [before, after]: [before: string | null, after: string | null],
): void {
  if (originOf(before) === originOf(after)) return;
  const kept = keptNames(names, given);
  const secrets = credentials.filter(({ name, secret }) => secret && kept.includes(name)).map(({ name }) => name);
  if (secrets.length === 0) return;
  const message = `enter ${secrets.join(', ')} again for another host: the service does not send stored secrets to it`;
  throw invalidRequest([{ field: 'credentials', code: 'REQUIRED', message }]);
}

const originOf = (url: string | null): string | null => url && new URL(url).origin;

/** Values after a change. */
export function changed(before: Record<string, string>, changes: Changes): Record<string, string> {
  const merged = Object.entries({ ...before, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The names of the stored credentials that stay as they are. */
export const keptNames = (stored: readonly string[], changes: Changes): string[] =>
  stored.filter((name) => changes[name] === undefined);

/** Changes of credentials for the audit log: only their names, and what happened to them. */
export const withoutValues = (changes: Changes): Record<string, 'replaced' | 'removed'> =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value === null ? 'removed' : 'replaced']));

function changesProblem<Field extends { name: string }>(
  kind: string,
  changes: Changes,
  { adapter }: { adapter: string },
  fields: readonly Field[],
  problemOf: (field: Field, value: string) => string | null,
): string | null {
  for (const [name, value] of Object.entries(changes)) {
    const field = fields.find((each) => each.name === name);
    if (!field) {
      const known = fields.map((each) => each.name).join(', ');
      return `the adapter ${adapter} has no ${kind} ${name}: it has ${known || 'none'}`;
    }
    const problem = value === null ? null : problemOf(field, value);
    if (problem !== null) return `the ${kind} ${name} ${problem}`;
  }
  return null;
}

const credentialProblem = ({ problemOf }: CredentialField, value: string): string | null =>
  textProblem(value, 1, MAX_CREDENTIAL_LENGTH) ?? problemOf?.(value) ?? null;
