import { InvalidArgumentError, type Command } from 'commander';
import { CsvProblems } from '../core/csv-table.js';
import { DAY_MS } from '../core/durations.js';
import {
  readStatement,
  STATEMENT_COLUMNS,
  type StatementFormat,
} from '../fulfilment/reconciliation/purchase-statement.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { ArchivedOrdersService } from '../accounting/reports/archived-orders.service.js';
import { ReportsModule } from '../accounting/reports/reports.module.js';
import { SupplierReportService, type Statement } from '../accounting/reports/supplier-report.service.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { DailyReportService } from '../accounting/reports/daily-report.service.js';
import {
  GROUPINGS,
  MARGIN_TIMEZONE,
  MarginReportService,
  type Grouping,
} from '../accounting/reports/margin-report.service.js';
import { defineDepositsReport } from './deposits-report.command.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { nameInWords, readFile } from './csv-file.js';
import { dailyReport, dailyReports } from './daily-report.view.js';
import { marginReport } from './margin-report.view.js';
import { repeated } from './named-values.js';
import { day, includeSandboxOption, moment, oneOf, refuseBoth, timezone } from './options.js';
import { CommandError } from './problems.js';
import { withProgress } from './progress.js';
import { defineStatementReport } from './statement-report.command.js';
import { supplierReport } from './supplier-report.view.js';

const DAILY_HELP = `
The column orders counts by the day of placement. The columns completed and failed count by the day on which the order ended.
Balances include available and held money: closing = opening + credited - debited - spent. The report checks this for each
merchant against the wallet. If it is wrong, the exit code is 1. Refunds move money from held to available.
`;

const MARGIN_HELP = `
Counts succeeded units on the day their order ended, so the revenue equals the column spent of topup report daily. The cost is
the one that the supplier reported, at the exchange rate that is stored with the attempt. Without a reported cost, the expected
cost counts (cost_estimated_units). Units without a known cost in baht (cost_unknown_units) have no margin. The revenue includes their
price (cost_unknown_revenue), but margin_percent is calculated without it. Purchases that suppliers took back later are not
subtracted: see topup reversal list.
`;

const SUPPLIER_HELP = `
Queries suppliers about each unit that succeeded or failed, and about each attempt that another attempt followed. The exit code
is 1 if a discrepancy is open, or if a supplier does not answer or disagrees: it did not deliver a unit that we paid for, or it
delivered, or may still deliver, a unit that we refunded or bought elsewhere. Some suppliers may treat a query as a purchase.
The report does not query these suppliers, and counts such attempts as unaskable. Compare these attempts with --statement. The
report makes no further call to a supplier that bans us or refuses our credentials, nor to a supplier that is paused for that.

Also reads the supplier's list of sales from --since on, if the supplier has such a list. A listed purchase of no known order, as
after a restore of the database, opens a discrepancy (topup reversal list). For a supplier without a list, export the statement
from the supplier's site as CSV and give it with --statement. Purchases before --since open no discrepancy. The file has a header
line with some of these columns; others are ignored: ${STATEMENT_COLUMNS.join(', ')}.
`;

interface MarginGiven {
  from: string;
  to?: string;
  by: Grouping;
  csv?: boolean;
  includeSandbox?: boolean;
}

interface DailyGiven {
  date?: string;
  from?: string;
  to?: string;
  timezone: string;
  csv?: boolean;
  includeSandbox?: boolean;
}

interface SupplierGiven {
  supplier?: string;
  since?: Date;
  statement?: string;
  column?: StatementFormat['headers'];
  bought?: string[];
  notBought?: string[];
  refunded?: string[];
  includeSandbox?: boolean;
}

export const reportCommands: CommandGroup = {
  features: { imports: [MerchantsModule, SuppliersModule, ReportsModule, DepositsModule, NoQueuesModule] },
  define(report) {
    defineDaily(report);
    defineMargin(report);
    defineStatementReport(report);
    defineSupplier(report);
    defineDepositsReport(report);
  },
};

function defineDaily(report: OperatorCommand): void {
  report
    .command('daily')
    .description('Report each merchant’s orders and money for one or several days, and check the balances.')
    .option('--date <day>', 'day to report, such as 2026-01-15', day)
    .option('--from <day>', 'first of several days', day)
    .option('--to <day>', 'last of several days', day)
    .option('--timezone <name>', 'time zone of the days', timezone, 'Asia/Bangkok')
    .option('--csv', 'print CSV with a header line; for one day also a total')
    .addOption(includeSandboxOption())
    .notes(DAILY_HELP)
    .examples('report daily --date 2026-01-15', 'report daily --from 2026-01-01 --to 2026-01-31 --csv > january.csv')
    .does(async (app, { date, from, to, timezone, csv, includeSandbox = false }: DailyGiven, command: Command) => {
      if (csv) refuseBoth(command, '--csv');
      const service = app.get(DailyReportService);
      const archives = app.get(ArchivedOrdersService);
      if (date !== undefined && from === undefined && to === undefined) {
        const report = await service.run(date, timezone, { includeSandbox });
        const archived = await archives.countOfDays({ from: date, to: date }, timezone, {
          includeSandbox,
        });
        return dailyReport(report, { csv, archived });
      }
      if (date !== undefined || from === undefined || to === undefined) {
        throw new CommandError('give either --date with a day, or --from and --to with two');
      }
      const reports = await service.runAll({ from, to }, timezone, { includeSandbox });
      const archived = await archives.countOfDays({ from, to }, timezone, { includeSandbox });
      return dailyReports(reports, { csv, archived });
    });
}

function defineMargin(report: OperatorCommand): void {
  report
    .command('margin')
    .description('Report revenue, cost and margin by product, supplier, merchant or day.')
    .requiredOption('--from <day>', `first day, in ${MARGIN_TIMEZONE}, such as 2026-01-15`, day)
    .option('--to <day>', 'last day, inclusive (default: today)', day)
    .option('--by <what>', `one row for each: ${GROUPINGS.join(', ')}`, oneOf(GROUPINGS), 'sku' as const)
    .option('--csv', 'print CSV with a header line')
    .addOption(includeSandboxOption())
    .notes(MARGIN_HELP)
    .examples('report margin --from 2026-01-01', 'report margin --from 2026-01-01 --to 2026-01-31 --by supplier')
    .does(async (app, { from, to, by, csv, includeSandbox = false }: MarginGiven, command: Command) => {
      if (csv) refuseBoth(command, '--csv');
      const range = { from, to: to ?? today(MARGIN_TIMEZONE) };
      const rows = await app.get(MarginReportService).run(range, by, { includeSandbox });
      const archived = await app.get(ArchivedOrdersService).countSold(range, { includeSandbox });
      return marginReport(by, rows, range, { csv, archived });
    });
}

function defineSupplier(report: OperatorCommand): void {
  report
    .command('supplier')
    .description('Compare settled units with the suppliers’ records, and show our balances with suppliers.')
    .option('--supplier <code>', 'code of the supplier (default: all suppliers)')
    .option('--since <moment>', 'orders placed at or after this time, in ISO 8601 (default: 24 hours ago)', moment)
    .option('--statement <file>', 'CSV file of the supplier’s sales; - for standard input')
    .option('--column <name=header>', 'header of a column in the statement; may be repeated', statementColumn)
    .option('--bought <status>', 'status of a succeeded purchase in the statement; may be repeated', repeated)
    .option('--not-bought <status>', 'status of a failed purchase; may be repeated', repeated)
    .option('--refunded <status>', 'status of a refunded purchase; may be repeated', repeated)
    .addOption(includeSandboxOption())
    .notes(SUPPLIER_HELP)
    .examples(
      'report supplier',
      'report supplier --supplier acme --since 2026-01-15',
      'report supplier --supplier digi --statement january.csv --column reference="Ref ID" --not-bought Batal',
    )
    .does(async (app, { supplier: code, since: given, includeSandbox = false, ...format }: SupplierGiven) => {
      const since = given ?? new Date(Date.now() - DAY_MS);
      const statement = await readStatementOf(code, { ...format, since: given });
      const service = app.get(SuppliersService);
      const suppliers = code === undefined ? await service.list({ includeSandbox }) : [await service.getByCode(code)];
      const comparisons = await withProgress('Querying suppliers', async (report) => {
        const done = [];
        for (const each of suppliers)
          done.push(await app.get(SupplierReportService).compare(each, since, report, statement));
        return done;
      });
      const [named] = code === undefined ? [] : suppliers;
      const archived = await app.get(ArchivedOrdersService).countPlacedSince(since, {
        includeSandbox,
        supplierId: named?.id,
      });
      return supplierReport(since, comparisons, { archived, isOfOne: named !== undefined });
    });
}

/** The current date in a time zone, such as 2026-01-15. */
const today = (timezone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(new Date());

function statementColumn(text: string, earlier: StatementFormat['headers'] = {}): StatementFormat['headers'] {
  const [, name = '', header = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const column = STATEMENT_COLUMNS.find((each) => each === name);
  if (column === undefined || header === '')
    throw new InvalidArgumentError(`It must be name=header, with a name of ${STATEMENT_COLUMNS.join(', ')}.`);
  if (earlier[column] !== undefined) throw new InvalidArgumentError(`The column ${column} is given twice.`);
  return { ...earlier, [column]: header };
}

/** @throws CommandError */
async function readStatementOf(
  supplier: string | undefined,
  { statement: file, since, column: headers = {}, bought = [], notBought = [], refunded = [] }: SupplierGiven,
): Promise<Statement | undefined> {
  if (file === undefined) {
    if ([Object.keys(headers), bought, notBought, refunded].every(({ length }) => length === 0)) return undefined;
    throw new CommandError('--column, --bought, --not-bought and --refunded are for --statement: give its file');
  }
  if (supplier === undefined) throw new CommandError('give the supplier of the statement with --supplier');
  const name = nameInWords(file);
  try {
    return { name, since, ...readStatement(await readFile(file), { headers, bought, notBought, refunded }) };
  } catch (error) {
    if (!(error instanceof CsvProblems)) throw error;
    throw new CommandError(`${name} could not be read:\n  ${error.message.replaceAll('\n', '\n  ')}`);
  }
}
