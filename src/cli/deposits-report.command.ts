import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { toCsv, type CsvCell } from '../core/csv.js';
import { formatBaht } from '../core/money.js';
import {
  DEPOSITS_GROUPINGS,
  DepositsReportService,
  type DepositsGrouping,
  type DepositsRow,
} from '../accounting/reports/deposits-report.service.js';
import { DailyReportService } from '../accounting/reports/daily-report.service.js';
import { MARGIN_TIMEZONE } from '../accounting/reports/margin-report.repository.js';
import { VendorListsService } from '../deposits/vendor-lists.service.js';
import type { OperatorCommand } from './command-group.js';
import { assertKnown } from './known-names.js';
import { day, oneOf, refuseBoth } from './options.js';
import { list, type Result } from './output.js';
import { CommandError } from './problems.js';

interface Given {
  from: string;
  to: string;
  by: DepositsGrouping;
  channel?: string;
  compare?: boolean;
  csv?: boolean;
}

/** The name of the first column. */
const GROUP_COLUMNS: Record<DepositsGrouping, string> = { channel: 'channel', merchant: 'merchant_id', day: 'day' };

const HELP = `
A payment counts on the day in Asia/Bangkok on which it was made. The column without_person counts payments that the service
booked, and by_person counts payments that an operator booked. median_seconds is the median time from paying to booking, of
payments whose time is known.
amount is the sum of the payments in THB, and other_currencies counts all others.
`;

export function defineDepositsReport(report: OperatorCommand): void {
  report
    .command('deposits')
    .description('Report incoming payments: booked with and without a person, waiting, returned and ignored.')
    .requiredOption('--from <day>', 'first day, such as 2026-01-15', day)
    .requiredOption('--to <day>', 'last day, inclusive', day)
    .option('--by <what>', `one row for each: ${DEPOSITS_GROUPINGS.join(', ')}`, oneOf(DEPOSITS_GROUPINGS), 'channel')
    .option('--channel <code>', 'only payments of this channel')
    .option('--compare', 'compare with the list of the channel’s vendor; exits with 1 if they differ')
    .option('--csv', 'print CSV with a header line')
    .notes(HELP)
    .examples(
      'report deposits --from 2026-11-01 --to 2026-11-30 --by day',
      'report deposits --from 2026-11-24 --to 2026-11-24 --channel opn --compare',
    )
    .does(async (app, { from, to, by, channel, compare, csv }: Given, command: Command): Promise<Result> => {
      if (csv) refuseBoth(command, '--csv');
      await assertKnown(app, { channel });
      const rows = (await app.get(DepositsReportService).run({ from, to }, by, channel)).map((row) => toRow(by, row));
      const { text } = list(rows, 'No payments arrived on these days.');
      const warnings = compare ? await differences(app, channel, { from, to }) : [];
      return { json: rows, text: csv ? () => csvOf(by, rows) : text, warnings, ok: warnings.length === 0 };
    });
}

/** @throws as {@link VendorListsService.compare}; CommandError without a channel. */
async function differences(
  app: INestApplicationContext,
  channel: string | undefined,
  days: { from: string; to: string },
): Promise<string[]> {
  if (channel === undefined) throw new CommandError('--compare needs --channel');
  const { start, stop } = await app.get(DailyReportService).readRange(days, MARGIN_TIMEZONE);
  return app.get(VendorListsService).compare(channel, start, stop);
}

const toRow = (
  by: DepositsGrouping,
  { about, amount, median_seconds, ...counts }: DepositsRow,
): Record<string, CsvCell> => ({
  [GROUP_COLUMNS[by]]: by === 'merchant' && about !== null ? Number(about) : about,
  payments: Number(counts.payments),
  amount: formatBaht(amount),
  without_person: Number(counts.without_person),
  by_person: Number(counts.by_person),
  waiting: Number(counts.waiting),
  returned: Number(counts.returned),
  ignored: Number(counts.ignored),
  median_seconds: median_seconds === null ? null : Math.round(median_seconds),
  other_currencies: Number(counts.other_currencies),
});

function csvOf(by: DepositsGrouping, rows: Record<string, CsvCell>[]): string {
  const columns = [GROUP_COLUMNS[by], ...COLUMNS];
  return toCsv([columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]);
}

const COLUMNS = [
  'payments',
  'amount',
  'without_person',
  'by_person',
  'waiting',
  'returned',
  'ignored',
  'median_seconds',
  'other_currencies',
];
