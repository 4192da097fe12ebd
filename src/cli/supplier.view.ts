import type { AdapterDescription, CredentialField, OptionField } from '../suppliers/adapter-description.js';
import type { Unavailable } from '../suppliers/supplier-adapter.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { list, listTable, paragraphs, type Result } from './output.js';

type Settings = Pick<Supplier, 'code' | 'adapter' | 'base_url' | 'timeout_ms'>;

export function adaptersTable(adapters: AdapterDescription[]): Result {
  const json = adapters.map(({ adapter, name, credentials, options, capabilities }) => ({
    ...{ adapter, name },
    credentials: credentials.map(toCredential),
    options: options.map(toOption),
    capabilities,
  }));
  const adapterLines = adapters.map(({ adapter, name, capabilities, baseUrl, currency }) => ({
    ...{ adapter, name, base_url: baseUrl, currency, capabilities },
  }));
  const valueLines = adapters.flatMap(({ adapter, credentials, options }) => [
    ...credentials.map(({ name, required, help }) => ({
      adapter,
      credential: name,
      option: null,
      required,
      help,
    })),
    ...options.map(({ name, help }) => ({ adapter, credential: null, option: name, required: false, help })),
  ]);
  return { json, text: () => paragraphs(list(adapterLines, '').text(), listTable(valueLines)) };
}

const toCredential = ({ name, secret, required, help }: CredentialField): object => ({
  ...{ name, secret, required, help },
});

const toOption = ({ name, values, help }: OptionField): object => ({ name, values, help });

const settingsAdvice = (problem: string): string =>
  problem.includes('SECRETS_KEY')
    ? `${problem}; run this with the service’s key, or set the credentials anew`
    : `${problem}: see topup supplier adapters, and correct it with topup supplier set`;

/** Why a supplier did not tell our balance, and what to do about it. */
export function unavailableInWords(problem: Unavailable, supplier: Settings): string {
  const { detail, reached, fault } = problem;
  if (reached) return `it responds, and tells no balance (${detail}); if it should, check --base-url`;
  if (fault === 'settings') return settingsAdvice(detail);
  if (fault === 'credentials') {
    return `it refuses our credentials (${detail}): set them anew with topup supplier set --credential`;
  }
  if (fault === 'rate') return `it wants fewer requests (${detail}): try again later`;
  return reasonInWords(detail, supplier);
}

/** What a failed call means to the operator, by the word that names it. */
const REASONS: Record<string, (supplier: Settings) => string> = {
  timeout: ({ timeout_ms }) => `no answer within ${timeout_ms} ms: raise --timeout-ms, or ask the supplier`,
  ECONNREFUSED: ({ base_url }) => `nothing responds at ${base_url}: check --base-url, or ask the supplier`,
  ENOTFOUND: ({ base_url }) => `the host of ${base_url} has no address: check --base-url`,
  EAI_AGAIN: ({ base_url }) => `the host of ${base_url} can't be looked up: check this machine’s DNS`,
};

function reasonInWords(detail: string, supplier: Settings): string {
  const known = Object.hasOwn(REASONS, detail) ? REASONS[detail] : undefined;
  if (known) return `${known(supplier)} (${detail})`;
  if (/^HTTP 5/.test(detail))
    return `it has a fault of its own (${detail}): try again later, or ask the supplier`;
  if (/^HTTP /.test(detail)) return `it answers ${detail} at ${supplier.base_url}: check --base-url`;
  return `it could not be asked (${detail}): check --base-url and the network`;
}
