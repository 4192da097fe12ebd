import type { ProductView } from '../catalog/product-actions.js';
import {
  firstOfferProblem,
  MAX_QUANTITY,
  missingProblem,
  NEEDED,
  productProblem,
  type ProductDefinition,
  type ProductWithSupplier,
} from '../catalog/product-definition.js';
import { parseBaht } from '../core/money.js';
import { PRODUCT_KINDS, type ProductKind } from '../core/product-kind.js';
import { PLAYER_CHECK_WORDS, readPlayerCheck } from '../player-validators/player-check.js';
import { CsvProblems, FieldReader, problemAt, readTable, type CsvShape } from './csv-file.js';
import { toCsv } from '../core/csv.js';

const COLUMNS = [
  'sku',
  'name',
  'price',
  'supplier',
  'supplier_sku',
  'requires_server',
  'requires_character',
  'max_quantity',
  'active',
  'kind',
  'player_check',
] as const satisfies (keyof ProductView)[];

const SHAPE: CsvShape = { columns: COLUMNS, required: ['sku'], what: 'products' };

/** A product and the line of the file that it starts on. */
export interface ProductLine {
  line: number;
  definition: ProductDefinition;
}

/** What there is already. */
export interface Known {
  /** The codes of the suppliers. */
  suppliers: ReadonlySet<string>;
  /** The products by their SKUs. */
  products: ReadonlyMap<string, Pick<ProductWithSupplier, 'supplierCode'>>;
}

/** Products as {@link readProducts} reads them again. */
export const writeProducts = (products: ProductView[]): string =>
  toCsv([
    [...COLUMNS],
    ...products.map((product) =>
      COLUMNS.map((column) => {
        const value = product[column];
        return typeof value === 'boolean' ? String(value) : value;
      }),
    ),
  ]);

/**
 * Reads products from a CSV file. A column that it does not have leaves products as they are; an empty field in one that
 * it has means the default.
 * @throws CsvProblems with every problem and its line.
 */
export function readProducts(file: Buffer, known: Known): ProductLine[] {
  const { columns, rows } = readTable(file, SHAPE);
  const noColumn = NEEDED.filter((column) => !columns.includes(column));
  const problems: string[] = [];
  const firstLines = new Map<string, number>();
  const products = rows.map(({ line, fields }) => {
    const reader = new FieldReader(columns, fields);
    const definition = readProduct(reader, known.suppliers);
    const { sku } = definition;
    const earlier = firstLines.get(sku);
    const others = [
      reader.wrong.length === 0 ? productProblem(definition) : null,
      sku === '' || known.products.has(sku) ? null : missingProblem(sku, noColumn),
      reader.wrong.length === 0 ? firstOfferProblem(definition, known.products.get(sku)) : null,
      sku === '' || earlier === undefined ? null : `sku ${sku} is on line ${earlier} already`,
    ];
    if (earlier === undefined) firstLines.set(sku, line);
    const wrong = [...reader.wrong, ...others.filter((problem) => problem !== null)];
    problems.push(...wrong.map((words) => problemAt(line, words)));
    return { line, definition };
  });
  if (problems.length > 0) throw new CsvProblems(problems);
  return products;
}

/** One product; what is wrong with it is kept by the reader. */
function readProduct(reader: FieldReader, suppliers: ReadonlySet<string>): ProductDefinition {
  const flag = (column: string, ifEmpty: boolean): boolean | undefined =>
    reader.read(column, toFlag, { words: 'true, false, yes, no, 1 or 0', ifEmpty });
  const sku = reader.read('sku', String, { words: 'text' }) ?? '';
  return {
    sku,
    name: reader.read('name', String, { words: 'text' }),
    price: reader.read('price', parseBaht, { words: 'an amount in baht such as 35.00' }),
    ...readFirstOffer(reader, sku, suppliers),
    requiresServer: flag('requires_server', false),
    requiresCharacter: flag('requires_character', false),
    maxQuantity: reader.read('max_quantity', toQuantity, {
      words: `a whole number, 1 to ${MAX_QUANTITY}`,
      ifEmpty: MAX_QUANTITY,
    }),
    active: flag('active', true),
    kind: reader.read('kind', toKind, { words: PRODUCT_KINDS.join(' or '), ifEmpty: 'topup' }),
    playerCheck: reader.read('player_check', toPlayerCheck, { words: PLAYER_CHECK_WORDS, ifEmpty: null }),
  };
}

/** Both fields are empty for a product without an offer; with a supplier, an empty SKU of theirs means ours. */
function readFirstOffer(
  reader: FieldReader,
  sku: string,
  suppliers: ReadonlySet<string>,
): Pick<ProductDefinition, 'supplier' | 'supplierSku'> {
  const known = (code: string): string | null => (suppliers.has(code) ? code : null);
  const words = 'one that topup supplier list shows';
  const supplier = reader.read('supplier', known, { words, ifEmpty: null });
  const toText = (text: string): string | null => text;
  const ifEmpty = supplier === null ? null : sku;
  return {
    supplier,
    supplierSku: reader.read('supplier_sku', toText, { words: 'text', ifEmpty }) ?? undefined,
  };
}

const FLAGS: Record<string, boolean> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

const toFlag = (text: string): boolean | null => FLAGS[text.toLowerCase()] ?? null;

const toKind = (text: string): ProductKind | null => PRODUCT_KINDS.find((kind) => kind === text) ?? null;

const toPlayerCheck = (text: string): string | null => (readPlayerCheck(text) ? text : null);

const toQuantity = (text: string): number | null => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MAX_QUANTITY ? value : null;
};
