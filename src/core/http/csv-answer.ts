import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { toCsv, type CsvCell } from '../csv.js';
import type { Page } from '../pagination.js';

const MAX_LINES = 1_000_000;
/** Tells Excel that the file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** The columns of a file by name, each with a function that makes its cell from a line. */
export type CsvColumns<Line> = Record<string, (line: Line) => CsvCell>;

/** Columns that are members of the line. @param names separated by spaces. */
export const membersOf = <Line>(names: string): CsvColumns<Line> =>
  Object.fromEntries(names.split(' ').map((name) => [name, (line) => line[name as keyof Line] as CsvCell]));

/** All pages of a list, one after another. */
export async function* everyPage<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    yield page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Answers with at most `MAX_LINES` lines as CSV, and holds only one page of them in memory.
 * @param log receives the number of lines that were written, even when the download broke off.
 */
export async function answerCsv<Line>(
  response: Response,
  fileName: string,
  columns: CsvColumns<Line>,
  pages: AsyncIterable<Line[]>,
  log: (lines: number) => Promise<void>,
): Promise<void> {
  let lines = 0;
  const cells = Object.values(columns);
  async function* parts(): AsyncGenerator<string> {
    yield `${BYTE_ORDER_MARK}${toCsv([Object.keys(columns)])}\n`;
    for await (const page of pages) {
      // Empty pages write nothing, so only this check notices that the client has left.
      if (lines === MAX_LINES || response.destroyed) return;
      const part = page.slice(0, MAX_LINES - lines);
      if (part.length === 0) continue;
      lines += part.length;
      yield `${toCsv(part.map((line) => cells.map((cellOf) => cellOf(line))))}\n`;
    }
  }
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  response.type('text/csv');
  try {
    await pipeline(Readable.from(parts()), response);
  } catch (error) {
    // If the client closed the connection, nobody is left to get an error.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await log(lines);
  }
}
