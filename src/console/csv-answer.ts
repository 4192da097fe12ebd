import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { recordAction } from '../audit-log/audit-log.js';
import { toCsv, type CsvCell } from '../core/csv.js';
import type { Page } from '../core/pagination.js';
import type { Database } from '../database/database.js';
import type { Caller } from './access/caller.js';

const MAX_LINES = 1_000_000;
/** By which Excel knows UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The name of each column, and what a line has in it. */
export type CsvColumns<Line> = Record<string, (line: Line) => CsvCell>;

/** What the log keeps of a file. */
export interface LoggedExport {
  /** What it is a list of. */
  list: string;
  /** As it was asked for. */
  filter: object;
  lines: number;
  merchantId?: number;
}

/** All of a list, page after page. */
export async function* everyPage<Item>(
  ask: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    yield page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Each file that somebody downloads stands in the log. */
export const logExport = (
  database: Database,
  caller: Caller,
  { list, filter, lines, ...about }: LoggedExport,
): Promise<void> =>
  database.transaction((tx) => {
    const detail = { list, filter: { ...filter }, lines };
    recordAction(tx, caller.actor(), { action: 'export.run', ...about, detail });
    return Promise.resolve();
  });

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
      // Pages without lines yield nothing: else nobody would notice for long that whoever wanted them has left.
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
    await pipeline(Readable.from(pieces()), response);
  } catch (error) {
    // Whoever went away gets no answer.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await log(lines);
  }
}
