import { CsvError, parse } from 'csv-parse/sync';
import { StatementRefused } from './statement-refused.js';

export interface Row {
  cells: string[];
  /** The number of its last line in the file. */
  row: number;
}

const MAX_RECORD = 100_000;
/** A part ends with the first row beyond this many bytes. All cells of a part are in memory at once, so parts are small. */
const PART = 16_384;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads the rows of a CSV file part by part, because rows take many times the memory of their text. @throws StatementRefused */
export function* rowsOf(utf8: Buffer, delimiter: string): Generator<Row> {
  for (const { part, linesBefore } of partsOf(utf8)) {
    const rows: Row[] = [];
    let refused: StatementRefused | null = null;
    try {
      parse(part, {
        delimiter,
        record_delimiter: ['\r\n', '\n', '\r'],
        bom: true,
        trim: true,
        skip_empty_lines: true,
        relax_column_count: true,
        max_record_size: MAX_RECORD,
        on_record: (cells: string[], { lines }) => {
          rows.push({ cells, row: linesBefore + lines });
          return null;
        },
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      // Its message may quote a payer's name.
      const words = `line ${linesBefore + Number(error.lines)}: it is not written as CSV (${error.code})`;
      refused = new StatementRefused('UNREADABLE', [words]);
    }
    yield* rows;
    if (refused) throw refused;
  }
}

/** Counts the line breaks that {@link rowsOf} recognizes. A last line without a line break does not count. */
export function countLines(utf8: Buffer): number {
  let lines = 0;
  for (let at = 0; at < utf8.length; at++) lines += Number(isBreak(utf8, at));
  return lines;
}

const isBreak = (utf8: Buffer, at: number): boolean =>
  utf8[at] === LINE_FEED || (utf8[at] === CARRIAGE_RETURN && utf8[at + 1] !== LINE_FEED);

/** Cuts a file behind line breaks that stand outside of quotation marks. */
function* partsOf(utf8: Buffer): Generator<{ part: Buffer; linesBefore: number }> {
  let [begin, linesBefore, lines, isQuoted] = [0, 0, 0, false];
  for (let at = 0; at < utf8.length; at++) {
    if (utf8[at] === QUOTE) isQuoted = !isQuoted;
    if (!isBreak(utf8, at)) continue;
    lines++;
    if (isQuoted || at - begin < PART) continue;
    yield { part: utf8.subarray(begin, at + 1), linesBefore };
    [begin, linesBefore] = [at + 1, lines];
  }
  if (begin < utf8.length) yield { part: utf8.subarray(begin), linesBefore };
}
