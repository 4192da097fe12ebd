import { toCsv } from '../core/csv.js';
import { listTable } from './output.js';

/** A line of streamed output. */
export type Line = Record<string, string | number | null>;

/** One JSON array. Nothing is printed before the first page was read, so a failing first query leaves no part of an array. */
export async function* jsonArray(
  pages: AsyncIterable<object[]>,
  { before = '', after = '\n' } = {},
): AsyncGenerator<string> {
  const start = `${before}[`;
  let separator = start;
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    yield separator + lines.map((line) => JSON.stringify(line)).join(',');
    separator = ',';
  }
  yield `${separator === start ? start : ''}]${after}`;
}

/** CSV with a header line, which is printed with the first page. */
export async function* csvParts(columns: string[], pages: AsyncIterable<Line[]>): AsyncGenerator<string> {
  let header = `${toCsv([columns])}\n`;
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    yield `${header}${toCsv(lines.map((line) => columns.map((column) => line[column] ?? null)))}\n`;
    header = '';
  }
  if (header !== '') yield header;
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
