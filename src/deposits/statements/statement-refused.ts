/**
 * - `EMPTY`, `UNKNOWN_COLUMNS`: it is no file of this channel.
 * - `UNREADABLE`: some lines can't be read.
 * - `BALANCE_BROKEN`: its balances, totals or counts disagree with its lines.
 * - `GAP`: lines are missing between the last imported line and this file.
 * - `CHAIN_BROKEN`, `LINE_MISSING`: it reports another past than the imported files.
 */
type RefusalCode =
  'EMPTY' | 'UNKNOWN_COLUMNS' | 'UNREADABLE' | 'BALANCE_BROKEN' | 'GAP' | 'CHAIN_BROKEN' | 'LINE_MISSING';

/** A file of which nothing is imported. */
export class StatementRefused extends Error {
  constructor(
    readonly code: RefusalCode,
    /** The problems, each with its line. */
    readonly problems: readonly string[],
    /** A day whose imported lines have other texts in the file, which an operator can accept. */
    readonly changedTextsOn: string | null = null,
  ) {
    super(problems.join('\n'));
  }
}
