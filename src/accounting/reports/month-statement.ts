import { AppError } from '../../core/errors.js';
import { invariant } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import type { AccountStatement, StatementRow } from './statement.service.js';

/** A limit, because all lines of a month are in memory. Nobody prints this many. */
const MAX_LINES = 50_000;

/** An order, a deposit or a withdrawal of a month. */
export interface MonthLine {
  kind: 'order' | 'deposit' | 'withdrawal';
  /** The time of the first movement that belongs to the line. */
  at: Date;
  orderNumber: string | null;
  referenceId: string | null;
  /** The price of the order, if it was placed in the month. */
  ordered: Satang;
  /** The refund of the order in the month. */
  refunded: Satang;
  /** The change of the available balance. */
  amount: Satang;
}

/** A merchant's month: one line for each order, deposit or withdrawal, and the sums. */
export interface MonthStatement {
  opening: Satang;
  closing: Satang;
  sums: Record<'deposits' | 'ordered' | 'refunded' | 'withdrawn', Satang>;
  lines: MonthLine[];
}

/** @throws CONFLICT for a month with more lines than can be printed. */
export async function toMonthStatement({ opening, closing, pages }: AccountStatement): Promise<MonthStatement> {
  const lines: MonthLine[] = [];
  const orders = new Map<string, MonthLine>();
  const sums = { deposits: 0n, ordered: 0n, refunded: 0n, withdrawn: 0n };
  for await (const rows of pages('oldest first')) {
    for (const row of rows) {
      const known = row.order_number === null ? undefined : orders.get(row.order_number);
      const line = known ?? newLine(row);
      if (!known) lines.push(line);
      if (row.order_number !== null) orders.set(row.order_number, line);
      add(row, line, sums);
    }
    if (lines.length > MAX_LINES)
      throw new AppError('CONFLICT', `The month has more than ${MAX_LINES} lines: export the movements as CSV`);
  }
  const moved = sums.deposits - sums.withdrawn - sums.ordered + sums.refunded;
  invariant(opening + moved === closing, 'the movements of a month lead from one balance to the other');
  return { opening, closing, sums, lines };
}

const newLine = (row: StatementRow): MonthLine => ({
  kind: row.kind === 'credit' ? 'deposit' : row.kind === 'debit' ? 'withdrawal' : 'order',
  at: row.created_at,
  orderNumber: row.order_number,
  referenceId: row.reference_id,
  ordered: 0n,
  refunded: 0n,
  amount: 0n,
});

function add({ kind, amount }: StatementRow, line: MonthLine, sums: MonthStatement['sums']): void {
  switch (kind) {
    case 'credit':
      sums.deposits += amount;
      line.amount += amount;
      break;
    case 'debit':
      sums.withdrawn += amount;
      line.amount -= amount;
      break;
    case 'order_hold':
      sums.ordered += amount;
      line.ordered += amount;
      line.amount -= amount;
      break;
    case 'order_refund':
      sums.refunded += amount;
      line.refunded += amount;
      line.amount += amount;
      break;
  }
}
