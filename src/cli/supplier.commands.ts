import { ADAPTER_NAMES } from '../suppliers/adapters.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { DEFAULT_TIMEOUT_MS, SuppliersService } from '../suppliers/suppliers.service.js';
import { examples, type CommandGroup } from './command-group.js';
import { ASKS_FIRST, confirm } from './confirm.js';
import { integer, oneOf, operatorOption, reasonOption, yesOption } from './options.js';
import { list, record } from './output.js';

const LONGEST_TIMEOUT_MS = 600_000;

interface SetGiven {
  code: string;
  adapter: string;
  baseUrl: string;
  /** False for --no-token. */
  token?: string | false;
  timeoutMs: number;
  operator: string;
  reason?: string;
  yes?: boolean;
}

export const supplierCommands: CommandGroup = {
  features: { imports: [SuppliersModule] },
  define(supplier, act) {
    supplier
      .command('set')
      .description('Add a supplier or replace its settings. Workers use them within 5 seconds.')
      .requiredOption('--code <code>', 'supplier code, 1 to 64 characters')
      .requiredOption(
        '--adapter <adapter>',
        `adapter for the supplier’s API: ${ADAPTER_NAMES.join(', ')}`,
        oneOf(ADAPTER_NAMES),
      )
      .requiredOption('--base-url <url>', 'base URL of the supplier’s API, http or https')
      .option('--token <token>', 'bearer token (default: keep the current token)')
      .option('--no-token', 'remove the current token')
      .option(
        '--timeout-ms <ms>',
        'timeout of a request in milliseconds',
        integer(1, LONGEST_TIMEOUT_MS),
        DEFAULT_TIMEOUT_MS,
      )
      .addOption(operatorOption())
      .addOption(reasonOption())
      .addOption(yesOption())
      .addHelpText(
        'after',
        '\n--no-token asks first: a token can’t be read back.' +
          ASKS_FIRST +
          examples(
            'supplier set --code acme --adapter http --base-url https://api.acme.example/v1 --token s3cr3t',
          ),
      )
      .action(
        act(async (app, { token, operator, reason, yes, ...settings }: SetGiven) => {
          const change = token === false ? null : token;
          if (change === null)
            await confirm(`The token of supplier ${settings.code} is removed, for good.`, { yes });
          const suppliers = app.get(SuppliersService);
          suppliers.assertTiming(settings.timeoutMs);
          const remarks = await confirmMove(suppliers, settings, yes);
          const by = { operator, reason };
          const saved = await suppliers.set({ ...settings, token: change }, by);
          return { ...record(toJson(saved)), remarks };
        }),
      );

    supplier
      .command('list')
      .description('List all suppliers.')
      .addHelpText('after', examples('supplier list'))
      .action(
        act(async (app) => {
          const suppliers = await app.get(SuppliersService).list();
          const table = suppliers.map((each) => ({ ...toJson(each), token: each.token_sealed !== null }));
          const { text } = list(table, 'There are no suppliers: topup supplier set adds one.');
          return { json: suppliers.map(toJson), text };
        }),
      );
  },
};

/** Says how many units another base URL leaves behind, and asks. @returns the same for those who are not asked. */
async function confirmMove(
  suppliers: SuppliersService,
  { code, baseUrl }: Pick<SetGiven, 'code' | 'baseUrl'>,
  yes?: boolean,
): Promise<string[]> {
  const units = await suppliers.unitsLeftBehind(code, baseUrl);
  if (!units || units.open === 0) return [];
  const { open, inDoubt } = units;
  const words =
    `Supplier ${code} has ${open} open ${open === 1 ? 'unit' : 'units'}, ${inDoubt} of them in doubt: ` +
    'those in doubt are not sent to the new address again, and come to review unless it knows them.';
  await confirm(words, { yes });
  return [words];
}

const toJson = ({ code, adapter, base_url, timeout_ms }: Supplier): Record<string, unknown> => ({
  code,
  adapter,
  base_url,
  timeout_ms,
});
