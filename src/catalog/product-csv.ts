import type { ProductView } from './product-actions.js';
import {
  firstOfferProblem,
  MAX_QUANTITY,
  missingProblem,
  REQUIRED,
  productProblem,
  type ProductDefinition,
  type ProductWithSupplier,
} from './product-definition.js';
import { parseBaht } from '../core/money.js';
import { PRODUCT_KINDS, type ProductKind } from '../core/product-kind.js';
import { PLAYER_CHECK_WORDS, readPlayerCheck } from './player-validators/player-validator.js';
import { toCsv } from '../core/csv.js';
import {
  CsvProblems,
  FieldReader,
  firstProblems,
  isEnough,
  readTable,
  type CsvLines,
  type CsvProblem,
  type CsvShape,
} from '../core/csv-table.js';

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

const SHAPE: CsvShape = { columns: COLUMNS, required: ['sku'], what: 'products', maxLines: 200_000 };

/** A product, and the number of the line on which it starts in the file. */
export interface ProductLine {
  line: number;
  definition: ProductDefinition;
}

/** The existing suppliers and products. */
export interface Known {
  /** The codes of the suppliers. */
  suppliers: ReadonlySet<string>;
  /** The products by their SKUs. */
  products: ReadonlyMap<string, Pick<ProductWithSupplier, 'supplierCode' | 'supplier_sku'>>;
}

/** Writes products as CSV, in the form that {@link readProducts} reads. */
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
 * Reads products from a CSV file. A column that the file lacks leaves products as they are. An empty field means the
 * default; `sku`, `name` and `price` have none.
 * @returns the correct lines, and the problems of the other lines. The reading stops when there are enough problems.
 * @throws CsvProblems for a file that is no such table.
 */
export function readProductLines(file: Buffer, known: Known): CsvLines<ProductLine> {
  const { columns, rows } = readTable(file, SHAPE);
  const noColumn = REQUIRED.filter((column) => !columns.includes(column));
  const lines: ProductLine[] = [];
  const problems: CsvProblem[] = [];
  const firstLines = new Map<string, number>();
  for (const { line, fields } of rows) {
    if (isEnough(problems)) break;
    const reader = new FieldReader(columns, fields);
    const definition = readProduct(reader, known.suppliers);
    const { sku } = definition;
    const earlier = firstLines.get(sku);
    const isRead = reader.wrong.length === 0;
    const wrong = [
      ...reader.wrong,
      ...named(isRead ? productProblem(definition) : null),
      ...named(sku === '' || known.products.has(sku) ? null : missingProblem(sku, noColumn), 'sku'),
      ...named(isRead ? firstOfferProblem(definition, known.products.get(sku)) : null, 'supplier'),
      ...named(sku === '' || earlier === undefined ? null : `sku ${sku} is on line ${earlier} already`),
    ];
    if (earlier === undefined) firstLines.set(sku, line);
    if (wrong.length === 0) lines.push({ line, definition });
    else problems.push(...wrong.map((each) => ({ line, ...each })));
  }
  return { lines, problems: firstProblems(problems) };
}

/** Reads products from a CSV file. @throws CsvProblems if any line has a problem. */
export function readProducts(file: Buffer, known: Known): ProductLine[] {
  const { lines, problems } = readProductLines(file, known);
  if (problems.length > 0) throw new CsvProblems(problems);
  return lines;
}

/** @param column the column of the problem; absent if the words begin with its name. */
function named(words: string | null, column?: string): Omit<CsvProblem, 'line'>[] {
  if (words === null) return [];
  const [first = ''] = words.split(' ');
  return [{ column: column ?? COLUMNS.find((each) => each === first) ?? null, words }];
}

/** Reads one product; the reader records the problems. */
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

/** Both fields are empty for a product without an offer. With a supplier, an empty supplier_sku means our SKU. */
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

const FLAGS = new Map([
  ...['true', 'yes', '1'].map((text) => [text, true] as const),
  ...['false', 'no', '0'].map((text) => [text, false] as const),
]);

const toFlag = (text: string): boolean | null => FLAGS.get(text.toLowerCase()) ?? null;

const toKind = (text: string): ProductKind | null => PRODUCT_KINDS.find((kind) => kind === text) ?? null;

const toPlayerCheck = (text: string): string | null => (readPlayerCheck(text) ? text : null);

const toQuantity = (text: string): number | null => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MAX_QUANTITY ? value : null;
};
