import { formatBaht } from '../core/money.js';
import { toEntry, type WalletEntry } from '../wallet/entries.js';
import type { AccountStatement, StatementRow } from '../accounting/reports/statement.service.js';
import type { Streamed } from './output.js';
import { csvParts, jsonArray, tables, type Line } from './parts.js';

type OperatorEntry = WalletEntry & { reference: string | null; note: string | null };

const toOperatorEntry = (row: StatementRow): OperatorEntry => ({
  ...toEntry(row),
  reference: row.reference,
  note: row.note,
});

/** A statement for operators: newest first, with columns that merchants do not see. */
export const walletStatement = (statement: AccountStatement, { csv = false }: { csv?: boolean }): Streamed => ({
  parts: (asJson) => {
    const pages = linesOf(statement.pages('newest first'), toOperatorEntry);
    if (asJson) return jsonArray(pages);
    return csv ? csvParts(OPERATOR_COLUMNS, pages) : tables(pages, 'Nothing moved the available balance.\n');
  },
});

interface MonthOfStatement {
  merchantId: number;
  month: string;
  statement: AccountStatement;
}

/**
 * A merchant's monthly statement: oldest first, without the columns for operators. Nothing is printed before the first page was
 * read, so a failing first query leaves no part of a statement.
 */
export function monthlyStatement(
  { merchantId, month, statement }: MonthOfStatement,
  { csv = false }: { csv?: boolean },
): Streamed {
  const opening = formatBaht(statement.opening);
  const closing = formatBaht(statement.closing);
  const lines = (): AsyncGenerator<Line[]> => linesOf(statement.pages('oldest first'), toEntry);
  const balance = (kind: string, amount: string): Line => ({ kind, available_amount_after: amount });
  return {
    parts: async function* (asJson) {
      if (asJson) {
        const head = { merchant_id: merchantId, month, opening_amount: opening, closing_amount: closing };
        const before = `${JSON.stringify(head).slice(0, -1)},"movements":`;
        yield* jsonArray(lines(), { before, after: '}\n' });
      } else if (csv) {
        const withBalances = async function* (): AsyncGenerator<Line[]> {
          const pages = await begun(lines());
          yield [balance('opening', opening)];
          yield* pages;
          yield [balance('closing', closing)];
        };
        yield* csvParts(MERCHANT_COLUMNS, withBalances());
      } else {
        const pages = await begun(lines());
        yield `Merchant ${merchantId}, ${month}: opening balance ${opening}\n\n`;
        yield* tables(pages, 'Nothing moved the available balance.\n');
        yield `\nClosing balance ${closing}\n`;
      }
    },
  };
}

const MERCHANT_COLUMNS = [
  'id',
  'created_at',
  'kind',
  'amount',
  'available_amount_after',
  'reference_id',
  'order_number',
];
const OPERATOR_COLUMNS = [...MERCHANT_COLUMNS, 'reference', 'note'];

async function* linesOf(
  pages: AsyncIterable<StatementRow[]>,
  toLine: (row: StatementRow) => WalletEntry,
): AsyncGenerator<Line[]> {
  for await (const rows of pages) yield rows.map((row) => ({ ...toLine(row) }));
}

/** Returns the same pages, but reads the first one now: if its query fails, the caller has not printed anything yet. */
async function begun<Page>(pages: AsyncGenerator<Page>): Promise<AsyncGenerator<Page>> {
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}
