/**
 * - `EMPTY`, `UNKNOWN_COLUMNS`: the file is not a statement of this channel.
 * - `UNREADABLE`: some lines are wrong, or there are too many.
 * - `BALANCE_BROKEN`: the file's balances, totals or counts disagree with its lines.
 * - `GAP`: lines are missing between the last imported line and this file.
 * - `CHAIN_BROKEN`, `LINE_MISSING`: the file contradicts the imported lines.
 */
type RefusalCode =
  'EMPTY' | 'UNKNOWN_COLUMNS' | 'UNREADABLE' | 'BALANCE_BROKEN' | 'GAP' | 'CHAIN_BROKEN' | 'LINE_MISSING';

/** A refused file. Nothing of it is imported, or nothing more if another import came between two of its batches. */
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
