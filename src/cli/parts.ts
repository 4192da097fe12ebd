import { toCsv } from '../core/csv.js';
import { listTable } from './output.js';

/** A line of streamed output. */
export type Line = Record<string, string | number | null>;

/** One JSON array. @param end the text after the array. */
export async function* jsonArray(pages: AsyncIterable<object[]>, end = '\n'): AsyncGenerator<string> {
  let separator = '';
  yield '[';
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    yield separator + lines.map((line) => JSON.stringify(line)).join(',');
    separator = ',';
  }
  yield `]${end}`;
}

/** CSV with a header line. */
export async function* csvParts(columns: string[], pages: AsyncIterable<Line[]>): AsyncGenerator<string> {
  yield `${toCsv([columns])}\n`;
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    yield `${toCsv(lines.map((line) => columns.map((column) => line[column] ?? null)))}\n`;
  }
}

/** A table for each page, because the widths of a single table would have to be known before its first line. */
export async function* tables(pages: AsyncIterable<object[]>, ifEmpty: string): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const lines of pages) {
    isEmpty = false;
    yield `${listTable(lines.map((line) => ({ ...line })))}\n`;
  }
  if (isEmpty) yield ifEmpty;
}
