import { CsvError, parse } from 'csv-parse/sync';
import { MAX_QUANTITY, productProblem, type ProductDefinition } from '../../catalog/products.service.js';
import { parseBaht } from '../../core/money.js';

const REQUIRED = ['sku', 'name', 'price', 'supplier'];
const OPTIONAL = ['supplier_sku', 'requires_server', 'requires_character', 'max_quantity', 'active'];
const COLUMNS = [...REQUIRED, ...OPTIONAL];

/** A product and the line of the file that it starts on. */
export interface ProductLine {
  line: number;
  definition: ProductDefinition;
}

interface CsvRow {
  line: number;
  fields: string[];
}

/** Something wrong with a file; the message names the line. */
const problemAt = (line: number, words: string): string => `line ${line}: ${words}`;

/** Everything that is wrong with a file of products, a line for each problem. */
export class CsvProblems extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Reads products from a CSV file: a header line with the names of the columns in any order, then one product each.
 * A byte order mark, Windows line ends, quoted fields and empty lines are fine.
 * @param suppliers the codes that there are.
 * @throws CsvProblems with every problem and its line.
 */
export function readProducts(file: Buffer, suppliers: ReadonlySet<string>): ProductLine[] {
  const [header, ...rows] = readRows(file);
  if (!header) throw new CsvProblems([`the file is empty: its first line must be ${COLUMNS.join(',')}`]);
  const columns = header.fields;
  const headerProblems = findHeaderProblems(columns).map((words) => problemAt(header.line, words));
  if (headerProblems.length > 0) throw new CsvProblems(headerProblems);
  if (rows.length === 0) throw new CsvProblems(['the file has a header line and no products']);

  const problems: string[] = [];
  const firstLines = new Map<string, number>();
  const products = rows.flatMap(({ line, fields }) => {
    const { definition, wrong } = readProduct(columns, fields, suppliers);
    const sku = fields[columns.indexOf('sku')] ?? '';
    const earlier = firstLines.get(sku);
    if (sku !== '' && earlier !== undefined) wrong.push(`sku ${sku} is on line ${earlier} already`);
    else firstLines.set(sku, line);
    problems.push(...wrong.map((words) => problemAt(line, words)));
    return definition ? [{ line, definition }] : [];
  });
  if (problems.length > 0) throw new CsvProblems(problems);
  return products;
}

function readRows(file: Buffer): CsvRow[] {
  const rows: CsvRow[] = [];
  let lastLine = 0;
  try {
    // Inside quotes the parser counts a Windows line end twice.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file).replace(/\r\n?/g, '\n');
    parse(text, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (fields: string[], { lines }) => {
        lastLine = lines;
        const lineEndsInside = fields.reduce((count, field) => count + field.split('\n').length - 1, 0);
        rows.push({ line: lines - lineEndsInside, fields });
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) throw new CsvProblems([syntaxProblem(error, lastLine)]);
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new CsvProblems(['the file is not UTF-8 text: save it as “CSV UTF-8”']);
    }
    throw error;
  }
  return rows;
}

function syntaxProblem(error: CsvError, lastLine: number): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return problemAt(lastLine + 1, 'a quote is opened from here on and never closed');
  }
  const line = Number(error.lines) || lastLine + 1;
  return problemAt(line, 'a quote stands inside a field: quote the whole field, and double the quotes in it');
}

function findHeaderProblems(columns: string[]): string[] {
  const [only] = columns;
  if (columns.length === 1 && only !== undefined && /[;\t]/.test(only)) {
    return ['the columns must be separated by commas'];
  }
  const unknown = columns.filter((column) => !COLUMNS.includes(column));
  const twice = columns.filter((column, index) => columns.indexOf(column) < index);
  const missing = REQUIRED.filter((column) => !columns.includes(column));
  return [
    ...unknown.map(
      (column) => `there is no column ${JSON.stringify(column)}: choose from ${COLUMNS.join(', ')}`,
    ),
    ...new Set(twice.map((column) => `column ${column} is there more than once`)),
    ...missing.map((column) => `column ${column} is missing`),
  ];
}

/** One product from its fields. @returns it, or null with everything that is wrong. */
function readProduct(
  columns: string[],
  fields: string[],
  suppliers: ReadonlySet<string>,
): { definition: ProductDefinition | null; wrong: string[] } {
  if (fields.length !== columns.length) {
    return { definition: null, wrong: [`has ${fields.length} fields, and the header ${columns.length}`] };
  }
  const wrong: string[] = [];
  /** What a field says, undefined when it is empty, wrong or not there. */
  const read = <Value>(
    column: string,
    toValue: (text: string) => Value | null,
    words: string,
  ): Value | undefined => {
    const text = fields[columns.indexOf(column)] ?? '';
    if (text === '') {
      if (REQUIRED.includes(column)) wrong.push(`${column} is required`);
      return undefined;
    }
    const value = toValue(text);
    if (value === null) wrong.push(`${column} must be ${words}, not ${JSON.stringify(text)}`);
    return value ?? undefined;
  };
  const text = (column: string): string | undefined => read(column, String, 'text');
  const flag = (column: string): boolean | undefined => read(column, toFlag, 'true, false, yes, no, 1 or 0');
  const known = (code: string): string | null => (suppliers.has(code) ? code : null);
  const [sku, name] = [text('sku'), text('name')];
  const price = read('price', parseBaht, 'an amount in baht such as 35.00');
  const supplier = read('supplier', known, 'one that topup supplier list shows');
  const rest = {
    supplierSku: text('supplier_sku'),
    requiresServer: flag('requires_server'),
    requiresCharacter: flag('requires_character'),
    maxQuantity: read('max_quantity', toQuantity, `a whole number, 1 to ${MAX_QUANTITY}`),
    active: flag('active'),
  };
  if (sku === undefined || name === undefined || price === undefined || supplier === undefined) {
    return { definition: null, wrong };
  }
  const definition = { sku, name, price, supplier, ...rest };
  const problem = productProblem(definition);
  if (problem !== null) wrong.push(problem);
  return { definition: wrong.length > 0 ? null : definition, wrong };
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

const toQuantity = (text: string): number | null => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MAX_QUANTITY ? value : null;
};
