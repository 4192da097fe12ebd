import { streams, paint, toneOf } from './streams.js';
import { printable } from '../core/text.js';
import { drawTable, type Paint } from './table.js';

/** The output of a command: a JSON value for programs, text for people. */
export interface Result {
  json: unknown;
  text: () => string;
  /** False if the command found something wrong: the exit code is then 1. */
  ok?: boolean;
  /** Printed on standard error beside the text, but not beside JSON. */
  remarks?: string[];
  /** Problems, such as requested work that the command did not do. Printed on standard error, also beside JSON. */
  warnings?: string[];
}

/** Output in parts, because all of it may not fit in memory. */
export interface Streamed {
  /** Each part is written when the reader is ready for it. The last part must end with a line break. */
  parts: (asJson: boolean) => AsyncIterable<string>;
  /** Whether the work between the parts changes data. Then it must not end because the output has no reader any more. */
  changes?: boolean;
  /** Called after the last part. As in {@link Result}, but remarks are also printed beside JSON. */
  end?: (asJson: boolean) => Ending;
}

/** The rest of a result after its streamed parts. */
export type Ending = Pick<Result, 'ok' | 'remarks' | 'warnings'>;

type Row = Record<string, unknown>;

/** One object. @param note a sentence above the table. */
export const record = (row: Row, note?: string): Result => ({
  json: row,
  text: () => paragraphs(note, recordTable(row)),
});

/** A list of objects. @param ifEmpty the text for an empty list. */
export const list = (rows: Row[], ifEmpty: string, note?: string): Result => ({
  json: rows,
  text: () => paragraphs(rows.length === 0 ? ifEmpty : note, listTable(rows)),
});

/** A list that may be cut, and says so. @param limit its maximum length. @param first which rows a cut list has. */
export const limitedList = (rows: Row[], ifEmpty: string, limit: number, first = 'newest'): Result =>
  list(rows, ifEmpty, rows.length === limit ? `The ${first} ${limit}; --limit shows more.` : undefined);

/** A table with a line for each member. */
export const recordTable = (row: Row): string =>
  drawTable(
    Object.entries(row).map(([name, value]) => [name, cell(value)]),
    { head: false },
  );

/** A table with a line for each row, and a column for each member of any row. Empty if there are no rows. */
export function listTable(rows: Row[]): string {
  if (rows.length === 0) return '';
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => cell(row[column])));
  return drawTable([columns, ...lines], { head: true, paint: painter(columns) });
}

/** A table of checks with their results. */
export const checksTable = (checks: { name: string; ok: boolean; detail: string }[]): string =>
  listTable(checks.map(({ name, ok, detail }) => ({ check: name, result: ok ? 'ok' : 'FAILED', detail })));

const STATUS_COLUMNS = ['status', 'state', 'result'];

/** Emphasizes heads and colours statuses. */
function painter(columns: string[]): Paint {
  return (cell, column, isHead) => {
    if (isHead) return paint('bold', cell);
    const tone = STATUS_COLUMNS.includes(columns[column] ?? '') ? toneOf(cell) : null;
    return tone === null ? cell : paint(tone, cell);
  };
}

/** Joins parts of a text with empty lines, and skips empty parts. */
export const paragraphs = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n\n');

/** Replaces control characters by blanks, because text from suppliers and merchants could control the terminal. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return value.toISOString();
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Writes a text and a line break to standard output. @throws as {@link printText}. */
export async function print(text: string): Promise<void> {
  await printText(`${text}\n`);
}

/**
 * Writes the parts of an output, each when the reader is ready for it. If the reader closes the stream, as `head` does,
 * reading ends, but a change goes on to its end.
 * @throws as {@link printText}.
 */
export async function printParts({ parts, changes = false }: Streamed, asJson: boolean): Promise<void> {
  for await (const part of parts(asJson)) if (!(await printText(part)) && !changes) return;
}

/**
 * Writes a text to standard output. Resolves when it is written.
 * @returns false if the reader has closed the stream.
 * @throws any other problem.
 */
function printText(text: string): Promise<boolean> {
  const { stdout } = streams();
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error && !isClosedByReader(error) ? reject(error) : resolve(!error)));
  });
}

const isClosedByReader = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';
