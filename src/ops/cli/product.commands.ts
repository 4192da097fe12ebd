import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  MAX_QUANTITY,
  ProductError,
  ProductsService,
  type ProductDefinition,
  type ProductWithSupplier,
} from '../../catalog/products.service.js';
import { Supplier } from '../../catalog/supplier.entity.js';
import { SuppliersService } from '../../catalog/suppliers.service.js';
import { formatBaht, type Satang } from '../../core/money.js';
import { examples, type CommandGroup } from './command-group.js';
import { baht, integer } from './options.js';
import { list, record } from './output.js';
import { CommandError, reasonOf } from './problems.js';
import { CsvProblems, readProducts } from './product-csv.js';

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
}

const IMPORT_HELP = `
The first line of the file names its columns, in any order: sku, name, price and supplier, and if you like
supplier_sku, requires_server, requires_character, max_quantity and active. An empty field has its default.
Either every product is imported or none; what is wrong is told with its line.
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
      .addHelpText(
        'after',
        examples(
          'product set --sku MLBB-86 --name "86 Diamonds" --price 35.00 --supplier acme --requires-server',
        ),
      )
      .action(
        act(async (app, { inactive, ...given }: SetGiven) => {
          const definition: ProductDefinition = { ...given, active: !inactive };
          return record(toJson(await app.get(ProductsService).set(definition)));
        }),
      );

    product
      .command('import')
      .description('Set the products of a CSV file, all or none.')
      .argument('<file>', 'the file; /dev/stdin reads from a pipe')
      .addHelpText('after', IMPORT_HELP + examples('product import catalogue.csv'))
      .action(
        act(async (app, file: string) => {
          const suppliers = await app.get(SuppliersService).list();
          const products = await importProducts(app.get(ProductsService), file, suppliers);
          return list(products.map(toJson), '', `Products imported: ${products.length}`);
        }),
      );

    product
      .command('list')
      .description('List all products.')
      .addHelpText('after', examples('product list'))
      .action(
        act(async (app) => {
          const products = await app.get(ProductsService).list();
          return list(products.map(toJson), 'There are no products: topup product set adds one.');
        }),
      );
  },
};

async function importProducts(
  products: ProductsService,
  file: string,
  suppliers: Supplier[],
): Promise<ProductWithSupplier[]> {
  const name = path.basename(file);
  try {
    const lines = readProducts(readFile(file), new Set(suppliers.map(({ code }) => code)));
    return await products.setAll(lines.map(({ definition }) => definition)).catch((error: unknown) => {
      // Something changed after the file was checked.
      if (!(error instanceof ProductError)) throw error;
      throw new CsvProblems([`line ${lines[error.index]?.line}: ${error.message}`]);
    });
  } catch (error) {
    if (!(error instanceof CsvProblems)) throw error;
    throw new CommandError(`nothing of ${name} was imported:\n  ${error.message.replaceAll('\n', '\n  ')}`);
  }
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandError(`the file cannot be read: ${reasonOf(error)}`);
  }
}

const toJson = (product: ProductWithSupplier): Record<string, unknown> => ({
  sku: product.sku,
  name: product.name,
  price: formatBaht(product.price),
  supplier: product.supplierCode,
  supplier_sku: product.supplierSku,
  requires_server: product.requiresServer,
  requires_character: product.requiresCharacter,
  max_quantity: product.maxQuantity,
  active: product.active,
});
