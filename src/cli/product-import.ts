import { counted } from '../core/text.js';
import path from 'node:path';
import { toProductView, type ProductDifference } from '../catalog/product-actions.js';
import type { ProductDefinition, ProductWithSupplier } from '../catalog/product-definition.js';
import type { ProductImportsService } from '../catalog/product-imports.service.js';
import { ProductError, type ProductsService } from '../catalog/products.service.js';
import type { Actor } from '../audit-log/audit-log.js';
import { confirm, MAX_WITHOUT_CONFIRMATION } from './confirm.js';
import { CsvProblems } from '../core/csv-table.js';
import { importing, readFile } from './csv-file.js';
import { list, listTable, type Result } from './output.js';
import { readProducts, type ProductLine } from '../catalog/product-csv.js';
import { problemInWords } from './problems.js';
import { withProgress } from './progress.js';
import { isInteractive } from './streams.js';

/** A valid file of products. */
interface ProductFile {
  name: string;
  lines: ProductLine[];
  definitions: ProductDefinition[];
}

export function readProductFile(imports: ProductImportsService, file: string): Promise<ProductFile> {
  const name = path.basename(file);
  return importing(name, async () => {
    const lines = readProducts(await readFile(file), await imports.known());
    return { name, lines, definitions: lines.map(({ definition }) => definition) };
  });
}

export async function importProducts(
  products: ProductsService,
  { name, lines, definitions }: ProductFile,
  { yes, ...by }: Actor & { yes?: boolean },
): Promise<ProductWithSupplier[]> {
  const expected = await confirmChanges(products, definitions, yes);
  return importing(name, async () => {
    try {
      return await withProgress('Importing products', (onProgress) =>
        products.setAll(definitions, { by, file: name, expected, onProgress }),
      );
    } catch (error) {
      // A product or a supplier changed after the file was checked.
      if (!(error instanceof ProductError)) throw error;
      const line = lines[error.index]?.line ?? null;
      throw new CsvProblems([{ line, column: null, words: problemInWords(error) }]);
    }
  });
}

/**
 * Asks for confirmation before a file changes many existing products.
 * @returns the confirmed changes; undefined if no confirmation was needed.
 */
async function confirmChanges(
  products: ProductsService,
  definitions: ProductDefinition[],
  yes?: boolean,
): Promise<ProductDifference[] | undefined> {
  if (yes || !isInteractive()) return undefined;
  const differences = await products.compare(definitions);
  const changed = differences.filter(({ change }) => change === 'changed');
  if (changed.length <= MAX_WITHOUT_CONFIRMATION) return undefined;
  const prices = changed.filter(({ changes }) => changes.some(({ member }) => member === 'price')).length;
  const added = differences.length - changed.length;
  const more = counted(added, 'is', 'are');
  await confirm(`${changed.length} products change, ${prices} of them their price, and ${more} added.`, {
    shown: listTable(toLines(differences)),
  });
  return differences;
}

/** The changes of a dry run. */
export const differencesResult = (differences: ProductDifference[]): Result => ({
  json: differences,
  text: list(toLines(differences), 'The file changes nothing.').text,
});

const toLines = (differences: ProductDifference[]): Record<string, unknown>[] =>
  differences.flatMap(({ sku, change, changes }) => changes.map((each) => ({ sku, change, ...each })));

export const toRows = (products: ProductWithSupplier[]): Record<string, unknown>[] =>
  products.map((product) => ({ ...toProductView(product) }));
