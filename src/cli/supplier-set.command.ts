import type { INestApplicationContext } from '@nestjs/common';
import { ADAPTER_NAMES } from '../suppliers/adapters.js';
import {
  DEFAULT_TIMEOUT_MS,
  MAX_IN_FLIGHT,
  MAX_TIMEOUT_MS,
  type Changes,
  type SupplierSettings,
} from '../suppliers/supplier-settings.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import { whyUnnoticed } from '../suppliers/supplier-adapter.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import type { OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { confirmRemoval, NamedValues, repeated, VALUES_HELP, withRemoved } from './named-values.js';
import { integer, micros, oneOf } from './options.js';
import { record, type Result } from './output.js';
import { CommandError } from './problems.js';
import { viewOf } from './supplier.view.js';

interface SetGiven {
  code: string;
  adapter: string;
  baseUrl?: string;
  credential?: string[];
  removeCredential?: string[];
  option?: string[];
  removeOption?: string[];
  /** False for --no-token. */
  token?: string | false;
  timeoutMs: number;
  /** In millionths; false for --no-low-balance. */
  lowBalance?: bigint | false;
  /** False for --no-max-in-flight. */
  maxInFlight?: number | false;
  newCallbackUrl?: boolean;
  sameAccount?: boolean;
  operator: string;
  reason?: string;
  yes?: boolean;
}

const SET_HELP = `${VALUES_HELP}
Credentials, options, --low-balance and --max-in-flight keep their values if not given, unless the adapter changes.
So does --base-url if the adapter has a default. Without --timeout-ms, the timeout is the default again.
topup supplier adapters lists the credentials and options of each adapter. --token T is --credential token=T.

The command asks before it removes a credential, because the removed value can't be recovered.
`;

export function defineSet(supplier: OperatorCommand): void {
  const set = supplier
    .command('set')
    .description('Add a supplier or replace its settings. Workers use them within 5 seconds.')
    .requiredOption('--code <code>', 'supplier code, 1 to 64 characters')
    .requiredOption(
      '--adapter <adapter>',
      `adapter for the supplier’s API: ${ADAPTER_NAMES.join(', ')}`,
      oneOf(ADAPTER_NAMES),
    )
    .option('--base-url <url>', 'base URL of the API, http or https; optional if the adapter has a default');
  defineValues(set)
    .option('--timeout-ms <ms>', 'timeout of a request in milliseconds', integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS)
    .option(
      '--max-in-flight <count>',
      'maximum number of calls in flight at a time, over all workers',
      integer(1, MAX_IN_FLIGHT),
    )
    .option('--no-max-in-flight', 'remove the maximum; workers then divide SUPPLIER_MAX_IN_FLIGHT among themselves')
    .option('--low-balance <amount>', 'threshold below which our balance there counts as low', micros)
    .option('--no-low-balance', 'remove the threshold')
    .option('--same-account', 'the new credentials are for the same account, which knows our earlier purchases')
    .option('--new-callback-url', 'make a new secret callback address; the current one stops working')
    .audited()
    .notes(SET_HELP)
    .asksFirst()
    .examples(
      'supplier set --code acme --adapter http --base-url https://api.acme.example/v1 --credential token=@acme.token',
    )
    .does(setSupplier);
}

const defineValues = (set: OperatorCommand): OperatorCommand =>
  set
    .option('--credential <name=value>', 'credential; may be repeated', repeated)
    .option('--remove-credential <name>', 'remove a credential; may be repeated', repeated)
    .option('--option <name=value>', 'setting of the adapter; may be repeated', repeated)
    .option('--remove-option <name>', 'remove a setting of the adapter; may be repeated', repeated)
    .option('--token <token>', 'bearer token of the http adapter (default: keep the current token)')
    .option('--no-token', 'remove the current token');

async function setSupplier(app: INestApplicationContext, given: SetGiven): Promise<Result> {
  const { code, adapter, baseUrl, timeoutMs, lowBalance, maxInFlight, newCallbackUrl, sameAccount } = given;
  const { operator, reason, yes } = given;
  const settings: SupplierSettings = {
    code,
    adapter,
    baseUrl,
    timeoutMs,
    newCallbackUrl,
    isSameAccount: sameAccount,
    ...(await readChanges(given)),
    lowBalanceMicros: lowBalance === false ? null : lowBalance,
    maxInFlight: maxInFlight === false ? null : maxInFlight,
  };
  await confirmRemoval(`supplier ${code}`, settings.credentials, yes);
  const suppliers = app.get(SuppliersService);
  suppliers.assertTiming(timeoutMs);
  const warnings = await confirmMove(suppliers, settings, yes);
  const saved = await suppliers.set(settings, { operator, reason });
  const registry = app.get(SupplierRegistry);
  const known = registry.find(saved.adapter);
  const why = known ? whyUnnoticed(known, () => registry.connect(saved).settings) : null;
  if (why !== null) warnings.push(`Supplier ${code} ${why}.`);
  return { ...record({ ...viewOf(app, saved) }), warnings };
}

async function readChanges({
  token,
  credential,
  removeCredential = [],
  option,
  removeOption = [],
}: SetGiven): Promise<{ credentials: Changes; options: Changes }> {
  const values = new NamedValues();
  const credentials = await values.readAll('--credential', credential);
  if (typeof token === 'string') {
    if ('token' in credentials) throw new CommandError('choose one: --token or --credential token=…');
    credentials.token = await values.read('--token', token);
  }
  const removed = token === false ? [...removeCredential, 'token'] : removeCredential;
  return {
    credentials: withRemoved(credentials, removed),
    options: withRemoved(await values.readAll('--option', option), removeOption),
  };
}

/**
 * Asks for confirmation if the base URL or account changes while the supplier has open units.
 * @returns the warning, to print again with the result; empty if there is none.
 */
async function confirmMove(suppliers: SuppliersService, settings: SupplierSettings, yes?: boolean): Promise<string[]> {
  const units = await suppliers.unitsLeftBehind(settings);
  if (!units || units.open === 0) return [];
  const { open, inDoubt } = units;
  const words =
    `Supplier ${settings.code} has ${open} open ${open === 1 ? 'unit' : 'units'}, ${inDoubt} of them in doubt: ` +
    'units in doubt are not sent again to the new address or account. They go to review unless the supplier knows them there. ' +
    'If only a key is new and the account stays the same, use --same-account.';
  await confirm(words, { yes });
  return [words];
}
