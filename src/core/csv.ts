/** The content of a cell. */
export type CsvCell = string | number | bigint | Date | null;

/** Text that is a plain number. Amounts are text, and must become numbers in a spreadsheet, so they get no apostrophe. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), after any number of the apostrophes that
 * {@link toCsv} adds.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** Text that needs quotes, also because of blanks at its ends, which many readers strip. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/**
 * Writes rows as CSV: RFC 4180, but with plain line ends, and none after the last row. Text that a spreadsheet would run as
 * a formula gets an apostrophe in front, which marks it as text. Plain numbers stay as they are.
 */
export function toCsv(rows: CsvCell[][]): string {
  return rows.map((cells) => cells.map(writeCell).join(',')).join('\n');
}

/** Reverses {@link toCsv} for a cell: removes the apostrophe in front of a formula. */
export const readCsvCell = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;

function writeCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
