import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { statementCsv, statementPage } from '../accounting/reports/month-statement-page.js';
import { toMonthStatement } from '../accounting/reports/month-statement.js';
import { AccountStatementService, ACCOUNT_STATEMENT_TIMEZONE } from '../accounting/reports/statement.service.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import type { OperatorCommand } from './command-group.js';
import { id, month, refuseBoth } from './options.js';
import type { Streamed } from './output.js';
import { CommandError } from './problems.js';
import { monthlyStatement } from './statement.view.js';

const STATEMENT_HELP = `
--html prints a page for the merchant, in Thai and English, to print on A4 or to save as PDF: sales, refunds, deposits, withdrawals,
both balances, and one line for each order. --csv --per-order prints the same lines as CSV. Without --per-order, the CSV has a line for
each movement, and times in UTC.
`;

interface StatementGiven {
  merchant: number;
  month: string;
  csv?: boolean;
  html?: boolean;
  perOrder?: boolean;
}

export function defineStatementReport(report: OperatorCommand): void {
  report
    .command('statement')
    .description('Print a merchant’s monthly statement: opening balance, each movement, closing balance.')
    .requiredOption('--merchant <id>', 'merchant id', id)
    .requiredOption('--month <month>', `month in ${ACCOUNT_STATEMENT_TIMEZONE}, such as 2026-01`, month)
    .option('--csv', 'print CSV with a header line and both balances')
    .option('--html', 'print a page to send to the merchant')
    .option('--per-order', `with --csv: one line for each order, with times in ${ACCOUNT_STATEMENT_TIMEZONE}`)
    .notes(STATEMENT_HELP)
    .examples(
      'report statement --merchant 1 --month 2026-01 --html > statement.html',
      'report statement --merchant 1 --month 2026-01 --csv --per-order > statement.csv',
    )
    .does(async (app, { merchant: merchantId, month, csv, html, perOrder }: StatementGiven, command: Command) => {
      if (csv && html) throw new CommandError('choose one: --csv or --html');
      if (csv) refuseBoth(command, '--csv');
      if (html) refuseBoth(command, '--html');
      if (perOrder && !csv)
        throw new CommandError('--per-order is for --csv: --html has one line for each order anyway');
      const merchant = await app.get(MerchantsService).get(merchantId);
      const service = app.get(AccountStatementService);
      const statement = await service.read(merchantId, await service.month(month));
      if (html) return text(statementPage({ merchant, month, statement: await toMonthStatement(statement) }));
      if (perOrder) return text(statementCsv(await toMonthStatement(statement)));
      return monthlyStatement({ merchantId, month, statement }, { csv });
    });
}

const text = (whole: string): Streamed => ({ parts: () => Readable.from([whole]) });
