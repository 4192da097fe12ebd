import { counted } from '../core/text.js';
import path from 'node:path';
import { CatalogModule } from '../catalog/catalog.module.js';
import { PriceAdjustmentsService, type Adjustment } from '../catalog/price-adjustments.service.js';
import type { OwnPriceFilter } from '../catalog/prices.repository.js';
import { PriceError, PricesService, type OwnPrice, type PriceDifference } from '../catalog/prices.service.js';
import { present } from '../core/invariant.js';
import { formatBaht, type Percentage, type Satang } from '../core/money.js';
import type { Actor } from '../audit-log/audit-log.js';
import { yesOption, type CommandGroup, type OperatorCommand } from './command-group.js';
import { confirm, MAX_WITHOUT_CONFIRMATION } from './confirm.js';
import { CsvProblems } from '../core/csv-table.js';
import { importing, readFile } from './csv-file.js';
import { baht, id, percentage } from './options.js';
import { list, listTable, record, type Result, type Streamed } from './output.js';
import { tables } from './parts.js';
import { readPrices, type PriceLine } from '../catalog/price-csv.js';
import { CommandError, problemInWords } from './problems.js';
import { isInteractive } from './streams.js';

type PriceGiven = Actor & { merchant: number; sku: string };

type ConfirmGiven = Actor & { yes?: boolean; dryRun?: boolean };

type AdjustGiven = ConfirmGiven & { percent: Percentage; match?: string; merchant?: number };

const IMPORT_HELP = `
The first line of the file names the columns merchant_id, sku and price, in any order. An empty price clears the
merchant's own price. The import is all or nothing, and errors name their line. A file that changes more than ${MAX_WITHOUT_CONFIRMATION}
prices needs confirmation.
`;

const ADJUST_HELP = `
Without --merchant, list prices change. A merchant whose own price is above the new list price pays the list price for
as long as that is lower. With --merchant, the merchant's own prices change, up to the list price. Prices are rounded
half up to satang. On a terminal, the command shows the changes and asks for confirmation; elsewhere it needs --dry-run
or --yes.
`;

export const priceCommands: CommandGroup = {
  features: { imports: [CatalogModule] },
  define(price) {
    defineSet(price);
    defineList(price);
    defineImport(price);
    defineAdjust(price);
  },
};

function defineSet(price: OperatorCommand): void {
  price
    .command('set')
    .description('Set a merchant’s own price for a product, from its next order on.')
    .requiredOption('--merchant <id>', 'merchant id', id)
    .requiredOption('--sku <sku>', 'SKU of the product')
    .requiredOption('--price <baht>', 'price of one unit in baht, 0.00 up to the list price', baht)
    .audited()
    .examples('price set --merchant 1 --sku MLBB-86 --price 31.50')
    .does(async (app, { merchant, sku, price, ...by }: PriceGiven & { price: Satang }) => {
      await app.get(PricesService).set(merchant, sku, price, by);
      return record(toRow(merchant, sku, price));
    });

  price
    .command('clear')
    .description('Clear a merchant’s own price, and print the list price that it pays from now on.')
    .requiredOption('--merchant <id>', 'merchant id', id)
    .requiredOption('--sku <sku>', 'SKU of the product')
    .audited()
    .examples('price clear --merchant 1 --sku MLBB-86')
    .does(async (app, { merchant, sku, ...by }: PriceGiven) =>
      record(toRow(merchant, sku, await app.get(PricesService).clear(merchant, sku, by))),
    );
}

function defineList(price: OperatorCommand): void {
  price
    .command('list')
    .description('List merchants’ own prices beside the list prices.')
    .option('--merchant <id>', 'own prices of this merchant id', id)
    .option('--sku <sku>', 'own prices for this SKU')
    .examples('price list', 'price list --merchant 1')
    .does((app, { merchant: merchantId, sku }: { merchant?: number; sku?: string }) =>
      Promise.resolve(listed(app.get(PricesService), { merchantId, sku })),
    );
}

function listed(prices: PricesService, which: OwnPriceFilter): Streamed {
  const shown = async function* (): AsyncGenerator<object[]> {
    for await (const page of prices.pagesOfOwn(which)) yield page.map(toListed);
  };
  return {
    async *parts(asJson) {
      // JSON is one value of one moment, and an error leaves no part of it: so all of it is read before it is printed.
      if (asJson) yield `${JSON.stringify((await prices.list(which)).map(toListed))}\n`;
      else yield* tables(shown(), 'There are no own prices: list prices apply.\n');
    },
  };
}

const toListed = ({ merchant_id, sku, price, list_price }: OwnPrice): Record<string, unknown> => ({
  ...toRow(merchant_id, sku, price),
  list_price: formatBaht(list_price),
});

function defineImport(price: OperatorCommand): void {
  price
    .command('import')
    .description('Set and clear own prices from a CSV file.')
    .argument('<file>', 'path of the file, or - for standard input')
    .option('--dry-run', 'show the changes without making them')
    .audited()
    .notes(IMPORT_HELP)
    .asksFirst()
    .examples('price import prices.csv --dry-run', 'price import prices.csv')
    .does((app, filePath: string, given: ConfirmGiven) => importPrices(app.get(PricesService), filePath, given));
}

function importPrices(prices: PricesService, filePath: string, { yes, dryRun, ...by }: ConfirmGiven): Promise<Result> {
  const file = path.basename(filePath);
  return importing(file, async () => {
    const lines = await readPrices(await readFile(filePath), async (changes) => {
      const problems = await prices.problems(changes);
      return problems.map((problem) => problem && problemInWords(problem));
    });
    const changes = lines.map(({ change }) => change);
    if (dryRun) return differencesResult(await prices.compare(changes));
    const expected = yes || !isInteractive() ? undefined : await prices.compare(changes);
    if (expected && expected.length > MAX_WITHOUT_CONFIRMATION) {
      await confirm(`${counted(expected.length, 'price changes', 'prices change')}.`, {
        shown: tableOf(expected),
      });
    }
    const paid = await prices.setAll(changes, { by, file, expected }).catch(addLine(lines));
    const rows = changes.map(({ merchantId, sku }, index) =>
      toRow(merchantId, sku, present(paid[index], 'each change of a price has a result')),
    );
    return list(rows, '', `Prices imported: ${rows.length}`);
  });
}

/** Adds the line of the file to an error of a change that became invalid after the check of the file. */
const addLine =
  (lines: PriceLine[]) =>
  (error: unknown): never => {
    if (!(error instanceof PriceError)) throw error;
    const line = lines[error.index]?.line ?? null;
    throw new CsvProblems([{ line, column: null, words: problemInWords(error) }]);
  };

function defineAdjust(price: OperatorCommand): void {
  price
    .command('adjust')
    .description('Raise or lower many prices by a percentage.')
    .requiredOption('--percent <n>', 'percentage, such as -3.5 or 5', percentage)
    .option('--match <text>', 'pattern of the SKUs, where * matches any text')
    .option('--merchant <id>', 'merchant id, to change its own prices (default: list prices)', id)
    .option('--dry-run', 'show the changes without making them')
    .audited()
    .addOption(yesOption())
    .notes(ADJUST_HELP)
    .examples('price adjust --percent -3.5 --match "MLBB-*" --dry-run', 'price adjust --percent 5 --merchant 1 --yes')
    .does(async (app, { merchant: merchantId, percent, match, yes, dryRun, ...by }: AdjustGiven) => {
      const adjustments = app.get(PriceAdjustmentsService);
      const adjustment: Adjustment = { percent, match, merchantId };
      if (dryRun) return differencesResult(await adjustments.compare(adjustment));
      const expected = yes ? undefined : await confirmChanges(await adjustments.compare(adjustment), percent);
      return differencesResult(await adjustments.apply(adjustment, { by, expected }));
    });
}

/** Asks for confirmation of price changes, and returns them. @throws CommandError without a yes, or without a terminal. */
async function confirmChanges(differences: PriceDifference[], percent: Percentage): Promise<PriceDifference[]> {
  if (!isInteractive()) {
    throw new CommandError('give --dry-run to see what would change, or --yes to change it');
  }
  if (differences.length > 0) {
    const consequence = `${counted(differences.length, 'price changes', 'prices change')} by ${percent.text} %.`;
    await confirm(consequence, { shown: tableOf(differences) });
  }
  return differences;
}

const differencesResult = (differences: PriceDifference[]): Result => ({
  json: differences,
  text: () => (differences.length === 0 ? 'No price changes.' : tableOf(differences)),
});

const tableOf = (differences: PriceDifference[]): string =>
  listTable(differences.map(({ merchant_id, ...each }) => ({ merchant_id: merchant_id ?? 'list', ...each })));

const toRow = (merchantId: number, sku: string, price: Satang): Record<string, unknown> => ({
  merchant_id: merchantId,
  sku,
  price: formatBaht(price),
});
