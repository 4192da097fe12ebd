import type { Command } from 'commander';
import { WalletModule } from '../wallet/wallet.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { SupplierReportService } from '../reports/supplier-report.service.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { WalletService } from '../wallet/wallet.service.js';
import { DailyReportService } from '../reports/daily-report.service.js';
import { AccountStatementService, STATEMENT_TIMEZONE } from '../reports/statement.service.js';
import { examples, type Act, type CommandGroup } from './command-group.js';
import { dailyReport, dailyReports } from './daily-report.view.js';
import { day, id, moment, month, refuseBoth, timezone } from './options.js';
import { CommandError } from './problems.js';
import { withProgress } from './progress.js';
import { monthlyStatement } from './statement.view.js';
import { supplierReport } from './supplier-report.view.js';

const DAY_MS = 86_400_000;

const DAILY_HELP = `
Orders count on the day when they were placed, completed and failed ones on the day when they ended. Balances are
available and held money together: closing = opening + credited - debited - spent, which is checked for each merchant
against the wallet as it is now; exit with 1 where it does not hold. What was refunded went from held to available.
`;

const SUPPLIER_HELP = `
Each unit that we hold for succeeded or failed is asked about, some at a time. Exit with 1 where the supplier says
otherwise (we paid and it did not deliver; we returned the money and it did, or still may), or does not answer.
`;

interface StatementGiven {
  merchant: number;
  month: string;
  csv?: boolean;
}

interface DailyGiven {
  date?: string;
  from?: string;
  to?: string;
  timezone: string;
  csv?: boolean;
}

export const reportCommands: CommandGroup = {
  features: { imports: [WalletModule, SuppliersModule, ReportsModule] },
  define(report, act) {
    defineDaily(report, act);
    defineStatement(report, act);
    defineSupplier(report, act);
  },
};

function defineDaily(report: Command, act: Act): void {
  report
    .command('daily')
    .description(
      'Show what a day, or each of several, brought to each merchant, and check it against the balances.',
    )
    .option('--date <day>', 'which day, such as 2026-01-15', day)
    .option('--from <day>', 'the first of several days', day)
    .option('--to <day>', 'the last of them', day)
    .option('--timezone <name>', 'where the day begins and ends', timezone, 'Asia/Bangkok')
    .option('--csv', 'print it as CSV, with a header line; of one day with a total')
    .addHelpText(
      'after',
      DAILY_HELP +
        examples(
          'report daily --date 2026-01-15',
          'report daily --from 2026-01-01 --to 2026-01-31 --csv > january.csv',
        ),
    )
    .action(
      act(async (app, { date, from, to, timezone, csv }: DailyGiven, command: Command) => {
        if (csv) refuseBoth(command, '--csv');
        const service = app.get(DailyReportService);
        if (date !== undefined && from === undefined && to === undefined) {
          return dailyReport(await service.run(date, timezone), { csv });
        }
        if (date !== undefined || from === undefined || to === undefined) {
          throw new CommandError('say either --date with a day, or --from and --to with two');
        }
        return dailyReports(await service.runAll({ from, to }, timezone), { csv });
      }),
    );
}

function defineStatement(report: Command, act: Act): void {
  report
    .command('statement')
    .description('Show a month of a merchant’s available balance: opening, each movement, closing.')
    .requiredOption('--merchant <id>', 'the merchant', id)
    .requiredOption('--month <month>', `which month of ${STATEMENT_TIMEZONE}, such as 2026-01`, month)
    .option('--csv', 'print it as CSV, with a header line and both balances')
    .addHelpText('after', examples('report statement --merchant 1 --month 2026-01 --csv > statement.csv'))
    .action(
      act(async (app, { merchant, month, csv }: StatementGiven, command: Command) => {
        if (csv) refuseBoth(command, '--csv');
        await app.get(WalletService).get(merchant);
        const service = app.get(AccountStatementService);
        const statement = await service.read(merchant, await service.month(month));
        return monthlyStatement({ merchantId: merchant, month, statement }, { csv });
      }),
    );
}

function defineSupplier(report: Command, act: Act): void {
  report
    .command('supplier')
    .description('Compare what became of units with what their suppliers say, and show the balances there.')
    .option('--supplier <code>', 'only this supplier; all of them, unless given')
    .option(
      '--since <moment>',
      'only orders placed then or later, in ISO 8601; 24 hours, unless given',
      moment,
    )
    .addHelpText(
      'after',
      SUPPLIER_HELP + examples('report supplier', 'report supplier --supplier acme --since 2026-01-15'),
    )
    .action(
      act(async (app, { supplier: code, since: given }: { supplier?: string; since?: Date }) => {
        const since = given ?? new Date(Date.now() - DAY_MS);
        const service = app.get(SuppliersService);
        const suppliers = code === undefined ? await service.list() : [await service.getByCode(code)];
        const comparisons = await withProgress('Asking suppliers', async (report) => {
          const done = [];
          for (const each of suppliers)
            done.push(await app.get(SupplierReportService).compare(each, since, report));
          return done;
        });
        return supplierReport(since, comparisons);
      }),
    );
}
