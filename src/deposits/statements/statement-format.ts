import { refuse } from '../../core/errors.js';

const COLUMNS = ['date', 'time', 'text', 'details', 'out', 'in', 'amount', 'balance', 'reference'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** How to read a channel's statements. */
export interface StatementFormat {
  /** The header of each column, or its number from 1. */
  columns: Partial<Record<ColumnName, string>>;
  /** Whether each line has a different reference. */
  isReferenceUnique: boolean;
  /** Whether rows above the table state its totals, as `kbiz` does. */
  statesTotals: boolean;
}

/**
 * Columns of known layouts. Two known parsers of KBank's file disagree about its column of deposits, so the operator names that
 * column.
 */
const LAYOUTS: Record<string, StatementFormat['columns']> = {
  kbiz: { date: '2', time: '3', text: '4', out: '5', balance: '9', details: '13' },
};

/**
 * @returns null where no options are about statements.
 * @throws BAD_REQUEST for wrong columns, such as columns that could not distinguish two payments.
 */
export function readStatementFormat(
  options: Record<string, string>,
  recognizedBy: 'reference' | 'amount',
): StatementFormat | null {
  if (options.statement === undefined && options.columns === undefined) return null;
  const columns = { ...LAYOUTS[options.statement ?? ''], ...readColumns(options.columns ?? '') };
  const isReferenceUnique = options.reference_unique === 'true';
  const problem = problemOf(columns, isReferenceUnique, recognizedBy);
  if (problem !== null) return refuse(`the option columns ${problem}`);
  return { columns, isReferenceUnique, statesTotals: options.statement === 'kbiz' };
}

function readColumns(text: string): StatementFormat['columns'] {
  const columns: StatementFormat['columns'] = {};
  for (const part of text.split(';').filter((each) => each.trim() !== '')) {
    const at = part.indexOf('=');
    const name = COLUMNS.find((each) => each === part.slice(0, Math.max(at, 0)).trim());
    const header = part.slice(at + 1).trim();
    if (name === undefined || header === '') {
      return refuse(
        `each part of the option columns must be NAME=HEADER, such as date=Date, with ; between parts. NAME is one of ${COLUMNS.join(', ')}`,
      );
    }
    if (columns[name] !== undefined) return refuse(`the option columns names ${name} twice`);
    columns[name] = header;
  }
  return columns;
}

function problemOf(
  columns: StatementFormat['columns'],
  isReferenceUnique: boolean,
  recognizedBy: 'reference' | 'amount',
): string | null {
  const has = (name: ColumnName): boolean => columns[name] !== undefined;
  if (!has('date')) return 'must name the column date';
  if (has('amount') && (has('in') || has('out'))) return 'must name amount, or in and out, not both';
  if (!has('amount') && !has('in')) return 'must name in, or amount if one column has signed amounts';
  if (isReferenceUnique && !has('reference')) return 'must name the column reference, because reference_unique is true';
  if (!isReferenceUnique && !has('balance')) {
    return 'must name the column balance, or reference with reference_unique=true: otherwise two equal payments could not be distinguished';
  }
  if (recognizedBy === 'amount' && !has('time')) {
    return 'must name the column time: otherwise a payment before its deposit could not be distinguished from one after it';
  }
  return null;
}
