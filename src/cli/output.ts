import { pipeline } from 'node:stream/promises';
import { streams, paint, toneOf } from './streams.js';
import { printable } from '../core/text.js';
import { drawTable, type Paint } from './table.js';

/** What a command prints: one JSON value for programs, text for people. */
export interface Result {
  json: unknown;
  text: () => string;
  /** False when the command ran and what it found is bad: the exit code says so. */
  ok?: boolean;
  /** Said on standard error beside the text, where that has no room for it. */
  remarks?: string[];
  /** What the command was asked to do and did not: said on standard error, to programs too. */
  warnings?: string[];
}

/** What a command prints piece by piece, because all of it may be more than fits in memory. */
export interface Streamed {
  /** Each is written when there is room for it. The last one ends the line. */
  pieces: (asJson: boolean) => AsyncIterable<string>;
  /** Asked behind the last piece: as {@link Result} says it, but remarks are made beside JSON too. */
  end?: (asJson: boolean) => Ending;
}

/** What is left of a result whose pieces are printed. */
export type Ending = Pick<Result, 'ok' | 'remarks' | 'warnings'>;

type Row = Record<string, unknown>;

/**
 * One thing with its members.
 * @param note a sentence that people read above it.
 */
export const record = (row: Row, note?: string): Result => ({
  json: row,
  text: () => paragraphs(note, recordTable(row)),
});

/**
 * Many things of one kind.
 * @param ifEmpty what people read when there are none.
 */
export const list = (rows: Row[], ifEmpty: string, note?: string): Result => ({
  json: rows,
  text: () => paragraphs(rows.length === 0 ? ifEmpty : note, listTable(rows)),
});

/** A table with a line for each member. */
export const recordTable = (row: Row): string =>
  drawTable(
    Object.entries(row).map(([name, value]) => [name, cell(value)]),
    { head: false },
  );

/** A table with a line for each row and the members of the first as its columns; empty when there are no rows. */
export function listTable(rows: Row[]): string {
  const [first] = rows;
  if (!first) return '';
  const columns = Object.keys(first);
  const lines = rows.map((row) => columns.map((column) => cell(row[column])));
  return drawTable([columns, ...lines], { head: true, paint: painter(columns) });
}

const STATUS_COLUMNS = ['status', 'state', 'result'];

/** Heads stand out, and so does how things stand. */
function painter(columns: string[]): Paint {
  return (cell, column, isHead) => {
    if (isHead) return paint('bold', cell);
    const tone = STATUS_COLUMNS.includes(columns[column] ?? '') ? toneOf(cell) : null;
    return tone === null ? cell : paint(tone, cell);
  };
}

/** Parts of a text with an empty line between them; what is empty is left out. */
export const paragraphs = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n\n');

/** Text of suppliers and merchants is shown, never obeyed: control characters could rewrite the terminal. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Writes to standard output, and resolves once it is out or whoever read it is gone. */
export function print(text: string): Promise<void> {
  const { stdout } = streams();
  return new Promise((resolve) => {
    stdout.once('error', () => resolve());
    stdout.write(`${text}\n`, () => resolve());
  });
}

/** Writes pieces to standard output, no faster than they are read, until the last is out or whoever read is gone. */
export async function printPieces(pieces: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(pieces, streams().stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
