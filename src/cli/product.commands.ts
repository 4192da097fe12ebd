import { InvalidArgumentError, Option, type Command } from 'commander';
import { CatalogModule } from '../catalog/catalog.module.js';
import { toProductView } from '../catalog/product-actions.js';
import { MAX_QUANTITY, type ProductDefinition } from '../catalog/product-definition.js';
import { PRODUCT_KINDS } from '../core/product-kind.js';
import { PLAYER_CHECK_WORDS, readPlayerCheck } from '../catalog/player-validators/player-validator.js';
import { ProductImportsService } from '../catalog/product-imports.service.js';
import { ProductsService } from '../catalog/products.service.js';
import type { Actor } from '../audit-log/audit-log.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { MAX_WITHOUT_CONFIRMATION } from './confirm.js';
import { writeCsvFile } from './csv-file.js';
import { baht, integer, oneOf } from './options.js';
import { list, record } from './output.js';
import { writeProducts } from '../catalog/product-csv.js';
import { differencesResult, importProducts, readProductFile, toRows } from './product-import.js';

type SetGiven = Omit<ProductDefinition, 'active' | 'playerCheck'> &
  Actor & { active?: boolean; inactive?: boolean; playerCheck?: string | false };

type ImportGiven = Actor & { yes?: boolean; dryRun?: boolean };

const SET_HELP = `
For an existing product, only the given options change. A new product needs --name and --price. --supplier and
--supplier-sku set the offer of priority 1, and replace an existing one. Another supplier needs --supplier-sku, unless the
product's supplier SKU is its own SKU. A product without an offer can't be ordered. topup offer set adds more offers.
`;

const IMPORT_HELP = `
The first line of the file names its columns, in any order: sku, and any of name, price, supplier, supplier_sku,
requires_server, requires_character, max_quantity, active, kind and player_check. New products need name and price. Without a
column, existing products keep their value. An empty field sets the default. An empty supplier is an error if the product has an
offer. Another supplier needs supplier_sku, unless the product's supplier SKU is its own SKU. The import is all or nothing, and errors name their line. A file that changes more than ${MAX_WITHOUT_CONFIRMATION} products
needs confirmation.
`;

export const productCommands: CommandGroup = {
  features: { imports: [CatalogModule] },
  define(product) {
    defineSet(product);
    defineImport(product);

    product
      .command('export')
      .description('Export all products to a CSV file that product import can read.')
      .argument('<file>', 'path of the file, or - for standard output')
      .examples('product export catalogue.csv', 'product export - | wc -l')
      .does(async (app, file: string, _given: object, command: Command) => {
        const products = (await app.get(ProductsService).list()).map(toProductView);
        return writeCsvFile(file, writeProducts(products), { products: products.length }, command);
      });

    product
      .command('list')
      .description('List all products.')
      .examples('product list')
      .does(async (app) => {
        const products = await app.get(ProductsService).list();
        return list(toRows(products), 'There are no products: topup product set adds one.');
      });
  },
};

function playerCheck(text: string): string {
  if (readPlayerCheck(text)) return text;
  throw new InvalidArgumentError(`It must be ${PLAYER_CHECK_WORDS}.`);
}

function defineSet(product: OperatorCommand): void {
  product
    .command('set')
    .description('Add a product, or change an existing one.')
    .requiredOption('--sku <sku>', 'SKU that merchants order, 1 to 64 characters')
    .option('--name <name>', 'product name, 1 to 128 characters')
    .option('--price <baht>', 'list price of one unit in baht', baht)
    .option('--supplier <code>', 'supplier of the offer of priority 1')
    .option('--supplier-sku <sku>', 'the supplier’s SKU (default for the first offer: the SKU)')
    .option('--requires-server', 'require the game server in orders')
    .option('--no-requires-server', 'do not require the game server')
    .option('--requires-character', 'require the character in orders')
    .option('--no-requires-character', 'do not require the character')
    .option('--max-quantity <n>', `maximum quantity per item, 1 to ${MAX_QUANTITY}`, integer(1, MAX_QUANTITY))
    .option('--kind <kind>', 'what one unit is: topup (default) or code', oneOf(PRODUCT_KINDS))
    .option(
      '--player-check <validator:game>',
      'validator that checks whether a player exists, such as g2bulk:mlbb',
      playerCheck,
    )
    .option('--no-player-check', 'do not check whether a player exists')
    .addOption(new Option('--active', 'make the product available').conflicts('inactive'))
    .option('--inactive', 'make the product unavailable')
    .audited()
    .notes(SET_HELP)
    .examples(
      'product set --sku MLBB-86 --name "86 Diamonds" --price 35.00 --supplier acme --requires-server',
      'product set --sku MLBB-86 --inactive --reason "sold out"',
    )
    .does(async (app, { active, inactive, playerCheck: check, operator, reason, ...given }: SetGiven) => {
      const definition = {
        ...given,
        active: inactive ? false : active,
        playerCheck: check === false ? null : check,
      };
      return record({
        ...toProductView(await app.get(ProductsService).set(definition, { operator, reason })),
      });
    });
}

function defineImport(product: OperatorCommand): void {
  product
    .command('import')
    .description('Add and change products from a CSV file.')
    .argument('<file>', 'path of the file, or - for standard input')
    .option('--dry-run', 'show the changes without making them')
    .audited()
    .notes(IMPORT_HELP)
    .asksFirst()
    .examples('product import catalogue.csv --dry-run', 'product import catalogue.csv')
    .does(async (app, path: string, { dryRun, ...given }: ImportGiven) => {
      const products = app.get(ProductsService);
      const file = await readProductFile(app.get(ProductImportsService), path);
      if (dryRun) return differencesResult(await products.compare(file.definitions));
      const imported = await importProducts(products, file, given);
      return list(toRows(imported), '', `Products imported: ${imported.length}`);
    });
}
