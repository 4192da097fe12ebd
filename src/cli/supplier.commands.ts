import type { Actor } from '../audit-log/audit-log.js';
import { ADAPTERS } from '../suppliers/adapters.js';
import { SupplierBalancesService, type QueriedSupplier } from '../suppliers/supplier-balances.service.js';
import { SupplierCheckService } from '../suppliers/supplier-check.service.js';
import { toBalanceView } from '../suppliers/supplier-view.js';
import { SupplierCataloguesModule } from '../catalog/supplier-catalogues.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import type { CommandGroup, Shell, OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { defineCatalogue } from './supplier-catalogue.commands.js';
import { list, type Result } from './output.js';
import { definePauses, warnOfBans } from './supplier-pause.commands.js';
import { adaptersTable, supplierRecord, supplierTest, toLine, unavailableInWords, viewOf } from './supplier.view.js';
import { defineSet } from './supplier-set.command.js';

const NO_SUPPLIERS = 'There are no suppliers: topup supplier set adds one.';

export const supplierCommands: CommandGroup = {
  features: { imports: [SuppliersModule, SupplierCataloguesModule] },
  define(supplier, shell) {
    defineSet(supplier);
    defineReads(supplier);
    defineAdapters(supplier, shell);
    defineCalls(supplier);
    defineCatalogue(supplier);
    definePauses(supplier);
    defineRemove(supplier);
  },
};

function defineReads(supplier: OperatorCommand): void {
  supplier
    .command('list')
    .description('List all suppliers.')
    .examples('supplier list')
    .does(async (app) => {
      const suppliers = (await app.get(SuppliersService).list()).map((supplier) => viewOf(app, supplier));
      const { text } = list(suppliers.map(toLine), NO_SUPPLIERS);
      return { json: suppliers, text };
    });

  supplier
    .command('show')
    .description('Show one supplier: its settings, the names of its credentials, and our last known balance.')
    .argument('<code>', 'supplier code')
    .examples('supplier show acme')
    .does(async (app, code: string) => {
      return supplierRecord(app, await app.get(SuppliersService).getByCode(code));
    });
}

function defineAdapters(supplier: OperatorCommand, { answer }: Shell): void {
  supplier
    .command('adapters')
    .description('List the adapters, with the credentials and options that each takes.')
    .examples('supplier adapters')
    .action(() => answer(adaptersTable(ADAPTERS.map(({ description }) => description))));
}

const TEST_HELP = `
Queries our balance and, if the adapter has one, the catalogue. Buys nothing. The exit code is 1 if anything is wrong.
`;

function defineCalls(supplier: OperatorCommand): void {
  supplier
    .command('test')
    .description('Test a supplier’s settings without buying anything.')
    .argument('<code>', 'supplier code')
    .notes(TEST_HELP)
    .examples('supplier test acme')
    .does(async (app, code: string) => {
      const supplier = await app.get(SuppliersService).getByCode(code);
      warnOfBans([supplier]);
      return supplierTest(supplier, await app.get(SupplierCheckService).check(supplier));
    });

  supplier
    .command('balance')
    .description('Query our balance at suppliers now. The exit code is 1 if a query fails.')
    .argument('[code]', 'supplier code (default: all suppliers)')
    .examples('supplier balance', 'supplier balance acme')
    .does(async (app, code: string | undefined) => {
      const service = app.get(SuppliersService);
      const suppliers = code === undefined ? await service.list() : [await service.getByCode(code)];
      warnOfBans(suppliers);
      const balances = app.get(SupplierBalancesService);
      return balanceTable(await balances.query(suppliers), await balances.listHoursLeft());
    });
}

function defineRemove(supplier: OperatorCommand): void {
  supplier
    .command('remove')
    .description('Remove a supplier that has no offer, order or discrepancy.')
    .argument('<code>', 'supplier code')
    .audited()
    .asksFirst()
    .examples('supplier remove acme --reason "never used"')
    .does(async (app, code: string, { yes, ...by }: Actor & { yes?: boolean }) => {
      const service = app.get(SuppliersService);
      await service.getByCode(code);
      await confirm(`Supplier ${code} is removed with its credentials, for good.`, { yes });
      return supplierRecord(app, await service.remove(code, by));
    });
}

/** Balances that suppliers reported. A supplier that could not be queried shows its last known balance. */
function balanceTable(queried: QueriedSupplier[], lasting: Map<string, number | null>): Result {
  const rows = queried.map(({ supplier }) => {
    const { amount = null, currency = null, at = null, low = false } = toBalanceView(supplier) ?? {};
    return {
      code: supplier.code,
      amount,
      currency,
      at,
      low,
      lasts_hours: lasting.get(supplier.code) ?? null,
    };
  });
  const inWords = ({ supplier, problem }: QueriedSupplier): string[] =>
    problem === null ? [] : [`${supplier.code}: ${unavailableInWords(problem, supplier, 'balance')}`];
  const failed = queried.filter(({ problem }) => problem?.offersNone === false);
  return {
    ...list(rows, NO_SUPPLIERS),
    ok: failed.length === 0,
    // A supplier that responds without a balance may have no balance query, which is no failure.
    remarks: queried.filter(({ problem }) => problem?.offersNone === true).flatMap(inWords),
    warnings: failed.flatMap(inWords),
  };
}
