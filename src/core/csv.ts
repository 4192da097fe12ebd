/** What stands in a cell: text, a number, or nothing. */
export type CsvCell = string | number | bigint | null;

/** Amounts are text here, and stay numbers in a spreadsheet. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection"), behind any number of the
 * apostrophes that {@link toCsv} itself puts there.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** What is read otherwise without them, blanks at its ends too: those are often taken off. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/**
 * The rows as CSV: RFC 4180, but with plain line ends, and none after the last row. Text that a spreadsheet would run
 * as a formula gets an apostrophe in front, which says that it is text; text that is a plain number is left alone.
 */
export function toCsv(rows: CsvCell[][]): string {
  return rows.map((cells) => cells.map(writeCell).join(',')).join('\n');
}

/** What a cell said before {@link toCsv} wrote it: the apostrophe that keeps it from being a formula is taken off. */
export const readCsvCell = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;

function writeCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
