import type { INestApplicationContext } from '@nestjs/common';
import { formatMicros } from '../core/cost-money.js';
import { withoutNulls } from '../core/members.js';
import type { DescribedAdapter, CredentialField, OptionField } from '../suppliers/adapter-description.js';
import { CallbackAddressesService } from '../suppliers/callback-addresses.service.js';
import type { Unavailable } from '../suppliers/supplier-adapter.js';
import type { SupplierCheck } from '../suppliers/supplier-check.service.js';
import { toSupplierView, type SupplierView } from '../suppliers/supplier-view.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { checksTable, list, listTable, paragraphs, record, type Result } from './output.js';
import { paint } from './streams.js';

type Settings = Pick<Supplier, 'code' | 'adapter' | 'base_url' | 'timeout_ms'>;

export function adaptersTable(adapters: DescribedAdapter[]): Result {
  const json = adapters.map(({ adapter, name, credentials, options, capabilities }) => ({
    adapter,
    name,
    credentials: credentials.map(toCredential),
    options: options.map(toOption),
    capabilities,
  }));
  const adapterLines = adapters.map(({ adapter, name, capabilities, baseUrl, currency }) => ({
    adapter,
    name,
    base_url: baseUrl,
    currency,
    capabilities,
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
  name,
  secret,
  required,
  help,
});

const toOption = ({ name, values, help }: OptionField): object => ({ name, values, help });

/** The results of a supplier's checks, with advice. */
export function supplierTest(supplier: Settings, found: SupplierCheck[]): Result {
  const { code } = supplier;
  const checks = found.map((check) => ({ name: check.name, ...verdictOn(check, supplier) }));
  const ok = checks.every((check) => check.ok);
  const summary = ok
    ? paint('green', `Supplier ${code} can be used.`)
    : paint('red', `Supplier ${code} can't be used like this.`);
  return { json: { code, ok, checks }, text: () => paragraphs(checksTable(checks), summary), ok };
}

interface Verdict {
  ok: boolean;
  detail: string;
}

function verdictOn(check: SupplierCheck, supplier: Settings): Verdict {
  if (check.name === 'settings') {
    const { problem } = check;
    return problem === null ? { ok: true, detail: 'complete' } : { ok: false, detail: settingsAdvice(problem) };
  }
  const { answer, name } = check;
  if (!answer.known) return { ok: answer.offersNone, detail: unavailableInWords(answer, supplier, name) };
  if (!('amount' in answer)) return { ok: true, detail: 'it can be read' };
  return { ok: true, detail: `${formatMicros(answer.amount.micros)} ${answer.amount.currency}` };
}

const settingsAdvice = (problem: string): string =>
  problem.includes('SECRETS_KEY')
    ? `${problem}; run this with the service’s key, or set the credentials again`
    : `${problem}: see topup supplier adapters, and correct it with topup supplier set`;

/** The cause of a failed query at a supplier, and the remedy. */
export function unavailableInWords(problem: Unavailable, supplier: Settings, what: 'balance' | 'catalogue'): string {
  const { detail, offersNone, fault } = problem;
  if (offersNone) return `it responds without a ${what} (${detail}); if it should have one, check --base-url`;
  if (fault === 'settings') return settingsAdvice(detail);
  if (fault === 'credentials') {
    return `it refuses our credentials (${detail}): set them again with topup supplier set --credential`;
  }
  if (fault === 'ban') return `it bans us (${detail}): wait, because each call prolongs the ban`;
  if (fault === 'rate') return `it wants fewer requests (${detail}): try again later`;
  return reasonInWords(detail, supplier);
}

/** The cause of a failed call and the remedy, by error code. */
const REASONS: Record<string, (supplier: Settings) => string> = {
  timeout: ({ timeout_ms }) => `no answer within ${timeout_ms} ms: raise --timeout-ms, or ask the supplier`,
  ECONNREFUSED: ({ base_url }) => `nothing responds at ${base_url}: check --base-url, or ask the supplier`,
  ENOTFOUND: ({ base_url }) => `the host of ${base_url} has no address: check --base-url`,
  EAI_AGAIN: ({ base_url }) => `the host of ${base_url} can't be looked up: check this machine’s DNS`,
};

function reasonInWords(detail: string, supplier: Settings): string {
  const known = Object.hasOwn(REASONS, detail) ? REASONS[detail] : undefined;
  if (known) return `${known(supplier)} (${detail})`;
  if (detail.startsWith('HTTP 5')) return `it has an internal error (${detail}): try again later, or ask the supplier`;
  if (detail.startsWith('HTTP ')) return `it answers ${detail} at ${supplier.base_url}: check --base-url`;
  return `it could not be reached (${detail}): check --base-url and the network`;
}

/** A supplier with its callback address, as commands print it as JSON. */
export const viewOf = (app: INestApplicationContext, supplier: Supplier): SupplierView =>
  toSupplierView(supplier, app.get(CallbackAddressesService).urlOf(supplier));

export function supplierRecord(app: INestApplicationContext, supplier: Supplier): Result {
  const view = viewOf(app, supplier);
  const { text } = record(toLine(view));
  return { json: view, text };
}

/** The members of a supplier for a table. Leaves out limits, a pause reason and a callback address if there is none. */
export const toLine = ({
  pause_reason,
  callback_url,
  max_in_flight,
  low_balance,
  options,
  balance,
  ...view
}: SupplierView): Record<string, unknown> => ({
  ...view,
  options: Object.entries(options).map(([name, value]) => `${name}=${value}`),
  balance: balance && `${balance.amount} ${balance.currency}${balance.low ? ' (low)' : ''}`,
  balance_at: balance?.at,
  ...withoutNulls({ max_in_flight, low_balance, pause_reason, callback_url }),
});
