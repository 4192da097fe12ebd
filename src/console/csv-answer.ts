import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { toCsv, type CsvCell } from '../core/csv.js';

const MAX_LINES = 1_000_000;
/** By which Excel knows UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The name of each column, and what a line has in it. */
export type CsvColumns<Line> = Record<string, (line: Line) => CsvCell>;

/**
 * Answers with lines as CSV, some at a time: never more than those are in memory.
 * @param log is told how many lines went out, whether or not all did.
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
  async function* pieces(): AsyncGenerator<string> {
    yield `${BYTE_ORDER_MARK}${toCsv([Object.keys(columns)])}\n`;
    for await (const page of pages) {
      const part = page.slice(0, MAX_LINES - lines);
      if (part.length === 0) return;
      lines += part.length;
      yield `${toCsv(part.map((line) => cells.map((cellOf) => cellOf(line))))}\n`;
    }
  }
  response.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  response.type('text/csv');
  try {
    await pipeline(Readable.from(pieces()), response);
  } catch (error) {
    // Whoever went away gets no answer.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await log(lines);
  }
}
