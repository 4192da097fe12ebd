import { CsvError, parse } from 'csv-parse/sync';
import { readCsvCell } from './csv.js';

/** The columns that a file may have, and those that it must. */
export interface CsvShape {
  columns: readonly string[];
  required: readonly string[];
  /** What its lines are, such as `products`. */
  what: string;
  /** How many of them a file may have at most. */
  atMost?: number;
  /** Columns of other names: an error unless said otherwise. */
  others?: 'passed over';
  /** What a column is called here that the header calls otherwise. */
  rename?: (header: string) => string;
}

export interface CsvRow {
  line: number;
  fields: string[];
}

/** A file's lines, each with a field for every column. */
export interface CsvTable {
  columns: string[];
  rows: CsvRow[];
}

/** What was read of a file: the lines that are right, and what is wrong with the others. */
export interface CsvLines<Line> {
  lines: Line[];
  problems: CsvProblem[];
}

/** Something that is wrong with a file. */
export interface CsvProblem {
  /** Counted from 1; null where it is about the whole file. */
  line: number | null;
  /** Null where it is about no single column. */
  column: string | null;
  words: string;
}

/** Everything that is wrong with a file; the message has a line for each problem, which names its line. */
export class CsvProblems extends Error {
  constructor(readonly problems: readonly CsvProblem[]) {
    super(problems.map(({ line, words }) => (line === null ? words : `line ${line}: ${words}`)).join('\n'));
  }
}

const MAX_COLUMNS = 200;
const MAX_LINE_LENGTH = 100_000;
const MAX_PROBLEMS = 500;

const aboutFile = (words: string): CsvProblem => ({ line: null, column: null, words });

/** Nobody reads more of them: whoever reads lines stops. */
export const isEnough = (problems: readonly CsvProblem[]): boolean => problems.length >= MAX_PROBLEMS;

/** By their lines, and no more than are enough. */
export function firstProblems(problems: readonly CsvProblem[]): CsvProblem[] {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  if (!isEnough(sorted)) return sorted;
  const words = `there may be more: the first ${MAX_PROBLEMS} problems are named`;
  return [...sorted.slice(0, MAX_PROBLEMS), aboutFile(words)];
}

/**
 * Reads a CSV file: a header line with the names of the columns in any order, then lines with as many fields. A byte
 * order mark, Windows line ends, quoted fields and empty lines are fine.
 * @throws CsvProblems with what is wrong with its syntax or its header.
 */
export function readTable(file: Buffer, shape: CsvShape): CsvTable {
  const [header, ...rows] = readRows(file, shape);
  if (!header) {
    throw new CsvProblems([aboutFile(`the file is empty: its first line must be ${shape.columns.join(',')}`)]);
  }
  const columns = shape.rename ? header.fields.map(shape.rename) : header.fields;
  const problems = findHeaderProblems(columns, shape).map((words) => ({
    ...aboutFile(words),
    line: header.line,
  }));
  if (problems.length > 0) throw new CsvProblems(problems);
  if (rows.length === 0) throw new CsvProblems([aboutFile(`the file has a header line and no ${shape.what}`)]);
  return { columns, rows };
}

/** Reads the fields of one line by their columns, and keeps what is wrong with them. */
export class FieldReader {
  readonly wrong: Omit<CsvProblem, 'line'>[] = [];

  constructor(
    private readonly columns: string[],
    private readonly fields: string[],
  ) {
    if (fields.length !== columns.length) {
      this.wrong.push({
        column: null,
        words: `has ${fields.length} fields, and the header ${columns.length}`,
      });
    }
  }

  /** What stands in a column; undefined where the file has no such column. */
  private text(column: string): string | undefined {
    if (this.fields.length !== this.columns.length) return undefined;
    const text = this.fields[this.columns.indexOf(column)];
    return text === undefined ? undefined : readCsvCell(text);
  }

  /**
   * @param toValue null for a text that is none.
   * @param words what a text must be.
   * @param ifEmpty what an empty field means; without it, that is wrong.
   * @returns undefined where there is no such column, or something is wrong.
   */
  read<Value>(
    column: string,
    toValue: (text: string) => Value | null,
    { words, ifEmpty }: { words: string; ifEmpty?: Value },
  ): Value | undefined {
    const text = this.text(column);
    if (text === undefined) return undefined;
    if (text === '') {
      if (ifEmpty === undefined) this.wrong.push({ column, words: `${column} is required` });
      return ifEmpty;
    }
    const value = toValue(text);
    if (value === null) this.wrong.push({ column, words: `${column} must be ${words}, not ${JSON.stringify(text)}` });
    return value ?? undefined;
  }
}

function readRows(file: Buffer, { what, atMost = Infinity }: CsvShape): CsvRow[] {
  const rows: CsvRow[] = [];
  let lastLine = 0;
  try {
    // Inside quotes the parser counts a Windows line end twice.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file).replace(/\r\n?/g, '\n');
    parse(text, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MAX_LINE_LENGTH,
      on_record: (fields: string[], { lines }) => {
        lastLine = lines;
        const lineEndsInside = fields.reduce((count, field) => count + field.split('\n').length - 1, 0);
        const row = { line: lines - lineEndsInside, fields };
        if (fields.length > MAX_COLUMNS)
          throw problemOf(row, `has ${fields.length} fields: ${MAX_COLUMNS} are the most`);
        if (rows.length > atMost) throw problemOf(row, `a file has ${atMost} ${what} at most`);
        rows.push(row);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) throw new CsvProblems([syntaxProblem(error, lastLine)]);
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new CsvProblems([aboutFile('the file is not UTF-8 text: save it as “CSV UTF-8”')]);
    }
    throw error;
  }
  return rows;
}

const problemOf = ({ line }: CsvRow, words: string): CsvProblems => new CsvProblems([{ ...aboutFile(words), line }]);

function syntaxProblem(error: CsvError, lastLine: number): CsvProblem {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return { ...aboutFile('a quote is opened from here on and never closed'), line: lastLine + 1 };
  }
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    const most = MAX_LINE_LENGTH.toLocaleString('en');
    const words = `has more than ${most} characters, or a quote in it is never closed`;
    return { ...aboutFile(words), line: lastLine + 1 };
  }
  const line = Number(error.lines) || lastLine + 1;
  const words = 'a quote stands inside a field: quote the whole field, and double the quotes in it';
  return { ...aboutFile(words), line };
}

function findHeaderProblems(columns: string[], shape: CsvShape): string[] {
  const [only] = columns;
  if (columns.length === 1 && only !== undefined && /[;\t]/.test(only)) {
    return ['the columns must be separated by commas'];
  }
  const others = columns.filter((column) => !shape.columns.includes(column));
  const unknown = shape.others === 'passed over' ? [] : others;
  const known = shape.others === 'passed over' ? columns.filter((column) => !others.includes(column)) : columns;
  const twice = known.filter((column, index) => known.indexOf(column) < index);
  const missing = shape.required.filter((column) => !columns.includes(column));
  return [
    ...unknown.map((column) => `there is no column ${JSON.stringify(column)}: choose from ${shape.columns.join(', ')}`),
    ...new Set(twice.map((column) => `column ${column} is there more than once`)),
    ...missing.map((column) => `column ${column} is missing`),
  ];
}
