import type { PriceChange } from './prices.service.js';
import { parseBaht, type Satang } from '../core/money.js';
import { textProblem } from '../core/text.js';
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
import { readId } from '../core/identifiers.js';

const COLUMNS = ['merchant_id', 'sku', 'price'];

const SHAPE: CsvShape = { columns: COLUMNS, required: COLUMNS, what: 'prices', maxLines: 200_000 };

/** A price, and the number of its line in the file. */
export interface PriceLine {
  line: number;
  change: PriceChange;
}

type Check = (changes: PriceChange[]) => Promise<(string | null)[]>;

/**
 * Reads merchants' own prices from a CSV file. An empty price removes the own price.
 * @param check returns the problem of each change, or null if the change is possible.
 * @returns the correct lines, and the problems of the other lines. The reading stops when there are enough problems.
 * @throws CsvProblems for a file that is no such table.
 */
export async function readPriceLines(file: Buffer, check: Check): Promise<CsvLines<PriceLine>> {
  const { columns, rows } = readTable(file, SHAPE);
  const problems: CsvProblem[] = [];
  const firstLines = new Map<string, number>();
  const prices: PriceLine[] = [];
  for (const { line, fields } of rows) {
    if (isEnough(problems)) break;
    const reader = new FieldReader(columns, fields);
    const change = readPrice(reader);
    problems.push(...reader.wrong.map((each) => ({ line, ...each })));
    if (!change) continue;
    const { merchantId, sku } = change;
    const key = JSON.stringify([merchantId, sku]);
    const earlier = firstLines.get(key);
    if (earlier === undefined) {
      firstLines.set(key, line);
      prices.push({ line, change });
    } else {
      const words = `the price of ${sku} for merchant ${merchantId} is on line ${earlier} already`;
      problems.push({ line, column: 'sku', words });
    }
  }
  const found = await check(prices.map(({ change }) => change));
  const lines = prices.filter(({ line }, index) => {
    const words = found[index] ?? null;
    if (words !== null) problems.push({ line, column: null, words });
    return words === null;
  });
  return { lines, problems: firstProblems(problems) };
}

/** Reads merchants' own prices from a CSV file. @throws CsvProblems if any line has a problem. */
export async function readPrices(file: Buffer, check: Check): Promise<PriceLine[]> {
  const { lines, problems } = await readPriceLines(file, check);
  if (problems.length > 0) throw new CsvProblems(problems);
  return lines;
}

/** @returns null if a field is wrong; the reader records the problem. */
function readPrice(reader: FieldReader): PriceChange | null {
  const merchantId = reader.read('merchant_id', readId, { words: 'an id: a whole number such as 12' });
  const sku = reader.read('sku', toSku, { words: 'text of 1 to 64 characters' });
  const price = reader.read<Satang | 'none'>('price', parseBaht, {
    words: 'an amount in baht such as 35.00',
    ifEmpty: 'none',
  });
  if (merchantId === undefined || sku === undefined || price === undefined) return null;
  return { merchantId, sku, price: price === 'none' ? null : price };
}

const toSku = (text: string): string | null => (textProblem(text, 1, 64) === null ? text : null);
