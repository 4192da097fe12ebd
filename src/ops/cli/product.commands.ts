import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  MAX_QUANTITY,
  ProductError,
  ProductsService,
  type ProductDefinition,
} from '../../catalog/products.service.js';
import { toProductView, type ProductWithSupplier } from '../../catalog/product-actions.js';
import { Supplier } from '../../catalog/supplier.entity.js';
import { SuppliersService } from '../../catalog/suppliers.service.js';
import type { Satang } from '../../core/money.js';
import type { By } from '../../database/operator-actions.js';
import { examples, type CommandGroup } from './command-group.js';
import { ASKS_FIRST, confirm, MANY } from './confirm.js';
import { baht, integer, operatorOption, reasonOption, yesOption } from './options.js';
import { list, record } from './output.js';
import { CommandError, reasonOf } from './problems.js';
import { CsvProblems, readProducts } from './product-csv.js';
import { withProgress } from './progress.js';
import { isInteractive } from './terminal.js';

interface SetGiven {
  sku: string;
  name: string;
  price: Satang;
  supplier: string;
  supplierSku?: string;
  requiresServer?: boolean;
  requiresCharacter?: boolean;
  maxQuantity?: number;
  inactive?: boolean;
  operator: string;
  reason?: string;
}

type ImportGiven = By & { yes?: boolean };

const IMPORT_HELP = `
The first line of the file names its columns, in any order: sku, name, price and supplier, and if you like
supplier_sku, requires_server, requires_character, max_quantity and active. An empty field has its default.
Either every product is imported or none; what is wrong is told with its line. A file that changes more than ${MANY}
products is asked about first.
`;

export const productCommands: CommandGroup = {
  features: {
    imports: [TypeOrmModule.forFeature([Supplier])],
    // What merchants see of the catalogue, which its module holds too, loads what documents the API.
    providers: [ProductsService, SuppliersService],
  },
  define(product, act) {
    product
      .command('set')
      .description('Add a product or replace its whole definition: what is not given has its default.')
      .requiredOption('--sku <sku>', 'what merchants order it by, 1 to 64 characters')
      .requiredOption('--name <name>', 'its name, 1 to 128 characters')
      .requiredOption('--price <baht>', 'the list price of one piece', baht)
      .requiredOption('--supplier <code>', 'who it is bought from')
      .option('--supplier-sku <sku>', 'what the supplier calls it; the SKU itself, unless given')
      .option('--requires-server', 'an order must name the game server')
      .option('--requires-character', 'an order must name the character')
      .option(
        '--max-quantity <n>',
        `most pieces in one item, up to ${MAX_QUANTITY}`,
        integer(1, MAX_QUANTITY),
        MAX_QUANTITY,
      )
      .option('--inactive', 'it cannot be ordered')
      .addOption(operatorOption())
      .addOption(reasonOption())
      .addHelpText(
        'after',
        examples(
          'product set --sku MLBB-86 --name "86 Diamonds" --price 35.00 --supplier acme --requires-server',
        ),
      )
      .action(
        act(async (app, { inactive, operator, reason, ...given }: SetGiven) => {
          const definition: ProductDefinition = { ...given, active: !inactive };
          return record({
            ...toProductView(await app.get(ProductsService).set(definition, { operator, reason })),
          });
        }),
      );

    product
      .command('import')
      .description('Set the products of a CSV file, all or none.')
      .argument('<file>', 'the file; /dev/stdin reads from a pipe')
      .addOption(operatorOption())
      .addOption(reasonOption())
      .addOption(yesOption())
      .addHelpText('after', IMPORT_HELP + ASKS_FIRST + examples('product import catalogue.csv'))
      .action(
        act(async (app, file: string, given: ImportGiven) => {
          const suppliers = await app.get(SuppliersService).list();
          const products = await importProducts(app.get(ProductsService), file, suppliers, given);
          return list(toRows(products), '', `Products imported: ${products.length}`);
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

async function importProducts(
  products: ProductsService,
  file: string,
  suppliers: Supplier[],
  { yes, ...by }: ImportGiven,
): Promise<ProductWithSupplier[]> {
  const name = path.basename(file);
  try {
    const lines = readProducts(readFile(file), new Set(suppliers.map(({ code }) => code)));
    const definitions = lines.map(({ definition }) => definition);
    await confirmChanges(products, definitions, yes);
    const importing = withProgress('Importing products', (onProgress) =>
      products.setAll(definitions, { by, file: name, onProgress }),
    );
    return await importing.catch((error: unknown) => {
      // Something changed after the file was checked.
      if (!(error instanceof ProductError)) throw error;
      throw new CsvProblems([`line ${lines[error.index]?.line}: ${error.message}`]);
    });
  } catch (error) {
    if (!(error instanceof CsvProblems)) throw error;
    throw new CommandError(`nothing of ${name} was imported:\n  ${error.message.replaceAll('\n', '\n  ')}`);
  }
}

/** Asks before a file changes many products that are sold already. */
async function confirmChanges(
  products: ProductsService,
  definitions: ProductDefinition[],
  yes?: boolean,
): Promise<void> {
  if (!isInteractive()) return;
  const known = new Map((await products.list()).map((product) => [product.sku, product]));
  const replaced = definitions.flatMap((definition) => {
    const earlier = known.get(definition.sku);
    return earlier ? [{ definition, earlier }] : [];
  });
  const prices = replaced.filter(({ definition, earlier }) => definition.price !== earlier.price).length;
  if (replaced.length <= MANY) return;
  const added = definitions.length - replaced.length;
  await confirm(
    `${replaced.length} products are replaced, ${prices} of them at another price, and ${added} added.`,
    {
      yes,
    },
  );
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandError(`the file cannot be read: ${reasonOf(error)}`);
  }
}

const toRows = (products: ProductWithSupplier[]): Record<string, unknown>[] =>
  products.map((product) => ({ ...toProductView(product) }));
