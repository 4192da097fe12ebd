import { counted } from '../core/text.js';
import { isCompleteComparison, toSupplierLine, type SupplierLine } from '../accounting/reports/report-lines.js';
import type { SupplierComparison } from '../accounting/reports/supplier-report.service.js';
import { archivedIn } from './archived-in.js';
import { listTable, paragraphs, type Result } from './output.js';
import { paint } from './streams.js';

/**
 * The comparison of our books with the suppliers' reports. It is not ok if they differ, if a discrepancy is open, or if the
 * comparison is incomplete.
 * @param archived how many orders since `since` the comparison leaves out, because they are archived.
 * @param isOfOne whether the report covers one supplier only.
 */
export function supplierReport(
  since: Date,
  comparisons: SupplierComparison[],
  { archived, isOfOne }: { archived: number; isOfOne: boolean },
): Result {
  const suppliers = comparisons.map(toSupplierLine);
  const ok = suppliers.every((each) => each.ok);
  const differences = suppliers.flatMap((each) =>
    each.differences.map((difference) => ({ supplier: each.supplier, ...difference })),
  );
  const lines = suppliers.map(({ differences: found, ok: agrees, statement: _, ...line }) => ({
    ...line,
    differences: found.length,
    result: agrees ? 'ok' : 'FAILED',
  }));
  const text = (): string =>
    paragraphs(
      `Orders placed since ${since.toISOString()}`,
      lines.length === 0 ? 'There are no suppliers: topup supplier set adds one.' : listTable(lines),
      differences.length > 0 ? `Differences\n${listTable(differences)}` : '',
      verdictOf(
        ok,
        differences.length,
        comparisons.filter((each) => !isCompleteComparison(each)).map(({ supplier }) => supplier),
        suppliers.reduce((sum, { open_cases }) => sum + open_cases, 0),
      ),
      suppliers
        .flatMap((each) => [surplusIn(each), unaskableIn(each), unclearIn(each), passedOverIn(each)])
        .filter((line) => line !== '')
        .join('\n'),
      ...archivedIn(
        archived,
        isOfOne ? 'placed since then, of any supplier,' : 'placed since then',
        'their units were not compared',
      ),
    );
  return { json: { ok, since: since.toISOString(), suppliers, archived_orders: archived }, text, ok };
}

function verdictOf(ok: boolean, differences: number, incomplete: string[], openDiscrepancies: number): string {
  if (ok) return paint('green', 'The suppliers agree with our books.');
  const differ = `${counted(differences, 'attempt differs', 'attempts differ')}: ask the supplier about each reference.`;
  const found = differences > 0 ? differ : '';
  const missing =
    incomplete.length > 0
      ? `The comparison is incomplete for ${incomplete.join(', ')}: the column problem says why.`
      : '';
  const open =
    openDiscrepancies > 0 ? `Open discrepancies: ${openDiscrepancies}. topup reversal list --open shows them.` : '';
  return paint('red', [found, missing, open].filter((part) => part !== '').join('\n'));
}

const surplusIn = ({ supplier, surplus, statement }: SupplierLine): string =>
  surplus === 0
    ? ''
    : `${statement?.name ?? `The list of ${supplier}`} has ${counted(surplus, 'purchase')} more than our books: topup reversal list shows what was sold.`;

/** Attempts that the operator must compare with the statement on the supplier's site. */
const unaskableIn = ({ supplier, unaskable }: SupplierLine): string =>
  unaskable === 0
    ? ''
    : `${counted(unaskable, 'attempt')} at ${supplier} can’t be queried without the risk of buying again: ` +
      'compare them with the statement on its site (--statement).';

function unclearIn({ statement }: SupplierLine): string {
  const statuses = statement?.unclear_statuses ?? [];
  if (statuses.length === 0) return '';
  const lines = statuses.reduce((sum, each) => sum + each.lines, 0);
  const words = statuses.map((each) => `${JSON.stringify(each.status)} (${each.lines})`).join(', ');
  return (
    `${counted(lines, 'line has', 'lines have')} an unknown status, which counts as under way: ${words}. ` +
    'Give its meaning with --bought, --not-bought or --refunded.'
  );
}

const passedOverIn = ({ statement }: SupplierLine): string =>
  statement && statement.passed_over > 0
    ? `${counted(statement.passed_over, 'purchase')} of ${statement.name} from before --since opened no discrepancy.`
    : '';
