import type { Command } from 'commander';
import { ADAPTERS } from '../suppliers/adapters.js';
import { SupplierBalancesService, type AskedSupplier } from '../suppliers/supplier-balances.service.js';
import { toBalanceView, toSupplierView, type SupplierView } from '../suppliers/supplier-view.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { examples, type Act, type CommandGroup, type Shell } from './command-group.js';
import { list, record, type Result } from './output.js';
import { adaptersTable, unavailableInWords } from './supplier.view.js';
import { defineSet } from './supplier-set.command.js';

const NO_SUPPLIERS = 'There are no suppliers: topup supplier set adds one.';

export const supplierCommands: CommandGroup = {
  features: { imports: [SuppliersModule] },
  define(supplier, act, shell) {
    defineSet(supplier, act);
    defineReads(supplier, act);
    defineAdapters(supplier, shell);
    defineCalls(supplier, act);
  },
};

function defineReads(supplier: Command, act: Act): void {
  supplier
    .command('list')
    .description('List all suppliers.')
    .addHelpText('after', examples('supplier list'))
    .action(
      act(async (app) => {
        const suppliers = (await app.get(SuppliersService).list()).map(toSupplierView);
        const { text } = list(suppliers.map(toLine), NO_SUPPLIERS);
        return { json: suppliers, text };
      }),
    );

  supplier
    .command('show')
    .description('Show one supplier: its settings, the names of its credentials, and our last known balance.')
    .argument('<code>', 'supplier code')
    .addHelpText('after', examples('supplier show acme'))
    .action(
      act(async (app, code: string) => {
        const view = toSupplierView(await app.get(SuppliersService).getByCode(code));
        const { text } = record(toLine(view));
        return { json: view, text };
      }),
    );
}

function defineAdapters(supplier: Command, { answer }: Shell): void {
  supplier
    .command('adapters')
    .description('List the adapters, with the credentials and options that each takes.')
    .addHelpText('after', examples('supplier adapters'))
    .action(() => answer(adaptersTable(ADAPTERS.map(({ description }) => description))));
}

function defineCalls(supplier: Command, act: Act): void {
  supplier
    .command('balance')
    .description('Ask suppliers for our balance now. The exit code is 1 if one does not respond.')
    .argument('[code]', 'supplier code (default: all suppliers)')
    .addHelpText('after', examples('supplier balance', 'supplier balance acme'))
    .action(
      act(async (app, code: string | undefined) => {
        const service = app.get(SuppliersService);
        const suppliers = code === undefined ? await service.list() : [await service.getByCode(code)];
        return balances(await app.get(SupplierBalancesService).ask(suppliers));
      }),
    );
}

/** A supplier as a line of a table, which has room for what differs between suppliers. */
const toLine = ({ pause_reason, callback_url, options, balance, ...view }: SupplierView): Row => ({
  ...view,
  options: Object.entries(options).map(([name, value]) => `${name}=${value}`),
  balance: balance && `${balance.amount} ${balance.currency}${balance.low ? ' (low)' : ''}`,
  balance_at: balance?.at,
  ...(pause_reason === null ? {} : { pause_reason }),
  ...(callback_url === null ? {} : { callback_url }),
});

type Row = Record<string, unknown>;

/** What suppliers told; one that could not be asked has the balance that it told before. */
function balances(asked: AskedSupplier[]): Result {
  const rows = asked.map(({ supplier }) => {
    const { amount = null, currency = null, at = null, low = false } = toBalanceView(supplier) ?? {};
    return { code: supplier.code, amount, currency, at, low };
  });
  const inWords = ({ supplier, problem }: AskedSupplier): string[] =>
    problem === null ? [] : [`${supplier.code}: ${unavailableInWords(problem, supplier)}`];
  const failed = asked.filter(({ problem }) => problem?.reached === false);
  return {
    ...list(rows, NO_SUPPLIERS),
    ok: failed.length === 0,
    // That a supplier tells no balances is nothing to be put right.
    remarks: asked.filter(({ problem }) => problem?.reached === true).flatMap(inWords),
    warnings: failed.flatMap(inWords),
  };
}
