import { CsvError, parse } from 'csv-parse/sync';
import { readCsvCell } from './csv.js';

/** The allowed columns of a file, and which of them are required. */
export interface CsvShape {
  columns: readonly string[];
  required: readonly string[];
  /** The plural noun for the lines in messages, such as `products`. */
  what: string;
  /** The maximum number of lines. */
  maxLines?: number;
  /** How to treat unknown columns. Without this member, unknown columns are errors. */
  others?: 'ignored';
  /** Maps a header to the name of a column. */
  rename?: (header: string) => string;
}

interface CsvRow {
  line: number;
  fields: string[];
}

/** A file's lines. {@link FieldReader} refuses a line with more or fewer fields than there are columns. */
interface CsvTable {
  columns: string[];
  rows: CsvRow[];
}

/** The valid lines of a file, and the problems of its other lines. */
export interface CsvLines<Line> {
  lines: Line[];
  problems: CsvProblem[];
}

/** A problem of a file. */
export interface CsvProblem {
  /** Counted from 1; null for the whole file. */
  line: number | null;
  /** Null if the problem is not about a single column. */
  column: string | null;
  words: string;
}

/** The problems of a file. The message has one line for each problem, with the number of the line in the file. */
export class CsvProblems extends Error {
  constructor(readonly problems: readonly CsvProblem[]) {
    super(problems.map(({ line, words }) => (line === null ? words : `line ${line}: ${words}`)).join('\n'));
  }
}

const MAX_COLUMNS = 200;
const MAX_LINE_LENGTH = 100_000;
const MAX_PROBLEMS = 500;

const aboutFile = (words: string): CsvProblem => ({ line: null, column: null, words });

/** Whether there are enough problems to stop reading. */
export const isEnough = (problems: readonly CsvProblem[]): boolean => problems.length >= MAX_PROBLEMS;

/** The first problems of a file, sorted by line. */
export function firstProblems(problems: readonly CsvProblem[]): CsvProblem[] {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  if (!isEnough(sorted)) return sorted;
  const words = `there may be more: the first ${MAX_PROBLEMS} problems are named`;
  return [...sorted.slice(0, MAX_PROBLEMS), aboutFile(words)];
}

/**
 * Reads a CSV file: a header line with the names of the columns in any order, then lines with as many fields. A byte
 * order mark, Windows line ends, quoted fields and empty lines are fine.
 * @throws CsvProblems for errors of syntax, encoding or header, and for a file without lines or with too many.
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

/** Reads the fields of one line by column, and collects their problems. */
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

  /** The text in a column; undefined if the file has no such column, or the line has a wrong number of fields. */
  private text(column: string): string | undefined {
    if (this.fields.length !== this.columns.length) return undefined;
    const text = this.fields[this.columns.indexOf(column)];
    return text === undefined ? undefined : readCsvCell(text);
  }

  /**
   * @param toValue returns null for an invalid text.
   * @param words completes the message `<column> must be …`.
   * @param ifEmpty the value of an empty field; without it, the field is required.
   * @returns undefined if the column is missing, or its text is invalid or missing.
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

function readRows(file: Buffer, { what, maxLines = Infinity }: CsvShape): CsvRow[] {
  const rows: CsvRow[] = [];
  let lastLine = 0;
  try {
    // Inside quotes, the parser would count each Windows line end as two lines.
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
        if (rows.length > maxLines) throw problemOf(row, `a file has ${maxLines} ${what} at most`);
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
    return { ...aboutFile('a quote opens on this line or a later one, and is never closed'), line: lastLine + 1 };
  }
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    const words = `has more than ${MAX_LINE_LENGTH.toLocaleString('en')} bytes, or a quote in it is never closed`;
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
  const unknown = shape.others === 'ignored' ? [] : others;
  const known = shape.others === 'ignored' ? columns.filter((column) => !others.includes(column)) : columns;
  const twice = known.filter((column, index) => known.indexOf(column) < index);
  const missing = shape.required.filter((column) => !columns.includes(column));
  return [
    ...unknown.map((column) => `there is no column ${JSON.stringify(column)}: choose from ${shape.columns.join(', ')}`),
    ...new Set(twice.map((column) => `column ${column} is there more than once`)),
    ...missing.map((column) => `column ${column} is missing`),
  ];
}
