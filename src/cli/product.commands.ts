import { Option, type Command } from 'commander';
import { CatalogModule } from '../catalog/catalog.module.js';
import { toProductView } from '../catalog/product-actions.js';
import { MAX_QUANTITY, type ProductDefinition } from '../catalog/product-definition.js';
import { ProductsService } from '../catalog/products.service.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import type { Actor } from '../audit-log/audit-log.js';
import { examples, type Act, type CommandGroup } from './command-group.js';
import { ASKS_FIRST, MANY } from './confirm.js';
import { writeCsvFile } from './csv-file.js';
import { baht, integer, operatorOption, reasonOption, yesOption } from './options.js';
import { list, record } from './output.js';
import { writeProducts } from './product-csv.js';
import { differencesResult, importProducts, readProductFile, toRows } from './product-import.js';

type SetGiven = Omit<ProductDefinition, 'active'> & Actor & { active?: boolean; inactive?: boolean };

type ImportGiven = Actor & { yes?: boolean; dryRun?: boolean };

const SET_HELP = `
Of a product that there is, only what is given is changed. A new one needs a name, a price and a supplier.
`;

const IMPORT_HELP = `
The first line of the file names its columns, in any order: sku, and of name, price, supplier, supplier_sku,
requires_server, requires_character, max_quantity and active those that are to change; new products need name, price
and supplier. A column that is not there leaves products as they are; an empty field in one that is there means the
default. Either every product is imported or none; what is wrong is told with its line. A file that changes more than
${MANY} products is asked about first.
`;

export const productCommands: CommandGroup = {
  features: { imports: [CatalogModule] },
  define(product, act) {
    defineSet(product, act);
    defineImport(product, act);

    product
      .command('export')
      .description('Write all products to a CSV file that import reads.')
      .argument('<file>', 'the file; - for standard output')
      .addHelpText('after', examples('product export catalogue.csv', 'product export - | wc -l'))
      .action(
        act(async (app, file: string, _given: object, command: Command) => {
          const products = (await app.get(ProductsService).list()).map(toProductView);
          return writeCsvFile(file, writeProducts(products), { products: products.length }, command);
        }),
      );

    product
      .command('list')
      .description('List all products.')
      .addHelpText('after', examples('product list'))
      .action(
        act(async (app) => {
          const products = await app.get(ProductsService).list();
          return list(toRows(products), 'There are no products: topup product set adds one.');
        }),
      );
  },
};

function defineSet(product: Command, act: Act): void {
  product
    .command('set')
    .description('Add a product, or change what is given of one.')
    .requiredOption('--sku <sku>', 'what merchants order it by, 1 to 64 characters')
    .option('--name <name>', 'its name, 1 to 128 characters')
    .option('--price <baht>', 'the list price of one piece', baht)
    .option('--supplier <code>', 'who it is bought from')
    .option('--supplier-sku <sku>', 'what the supplier calls it; the SKU itself, unless given')
    .option('--requires-server', 'an order must name the game server')
    .option('--no-requires-server', 'it need not')
    .option('--requires-character', 'an order must name the character')
    .option('--no-requires-character', 'it need not')
    .option(
      '--max-quantity <n>',
      `most pieces in one item, up to ${MAX_QUANTITY}, as it is unless given`,
      integer(1, MAX_QUANTITY),
    )
    .addOption(new Option('--active', 'it can be ordered').conflicts('inactive'))
    .option('--inactive', 'it cannot be ordered')
    .addOption(operatorOption())
    .addOption(reasonOption())
    .addHelpText(
      'after',
      SET_HELP +
        examples(
          'product set --sku MLBB-86 --name "86 Diamonds" --price 35.00 --supplier acme --requires-server',
          'product set --sku MLBB-86 --inactive --reason "sold out"',
        ),
    )
    .action(
      act(async (app, { active, inactive, operator, reason, ...given }: SetGiven) => {
        const definition = { ...given, active: inactive ? false : active };
        return record({
          ...toProductView(await app.get(ProductsService).set(definition, { operator, reason })),
        });
      }),
    );
}

function defineImport(product: Command, act: Act): void {
  product
    .command('import')
    .description('Set the products of a CSV file, all or none.')
    .argument('<file>', 'the file; - for standard input')
    .option('--dry-run', 'show what would change, and change nothing')
    .addOption(operatorOption())
    .addOption(reasonOption())
    .addOption(yesOption())
    .addHelpText(
      'after',
      IMPORT_HELP +
        ASKS_FIRST +
        examples('product import catalogue.csv --dry-run', 'product import catalogue.csv'),
    )
    .action(
      act(async (app, path: string, { dryRun, ...given }: ImportGiven) => {
        const products = app.get(ProductsService);
        const file = await readProductFile(products, app.get(SuppliersService), path);
        if (dryRun) return differencesResult(await products.compare(file.definitions));
        const imported = await importProducts(products, file, given);
        return list(toRows(imported), '', `Products imported: ${imported.length}`);
      }),
    );
}
