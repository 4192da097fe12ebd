import { AuditModule } from '../audit/audit.module.js';
import {
  MonthClosingService,
  type ClosedMonth,
  type ClosedWallet,
  type Refusal,
} from '../audit/month-closing.service.js';
import type { Actor } from '../audit-log/audit-log.js';
import { formatBaht } from '../core/money.js';
import { examples, type CommandGroup } from './command-group.js';
import { month, operatorOption, reasonOption } from './options.js';
import { list, listTable, paragraphs, type Result } from './output.js';
import { withProgress } from './progress.js';

/** A month that an operator closes must have ended this long ago, so that nothing of it is still being written. */
const DAYS = 1;

const CLOSE_HELP = `
Checks every order, movement of money and delivery of a month once, and keeps what each wallet had at its end, for good: topup audit
begins from there. Orders that have not ended are listed as left open, and checked each time. A month in which a check fails is not
closed, and the exit code is 1. Months are those of Asia/Bangkok; workers close them as MONTH_CLOSE_AFTER_DAYS says.
`;

export const monthCommands: CommandGroup = {
  features: { imports: [AuditModule] },
  define(months, act) {
    months
      .command('close')
      .description('Close months that ended a day ago or longer.')
      .option('--through <month>', 'last month to close, such as 2026-10', month)
      .addOption(operatorOption())
      .addOption(reasonOption())
      .addHelpText('after', CLOSE_HELP + examples('month close', 'month close --through 2026-10'))
      .action(
        act(async (app, { through, ...by }: { through?: string } & Actor) => {
          const service = app.get(MonthClosingService);
          return closeResult(
            await withProgress('Closing', (report) =>
              service.close(
                {
                  ...{ days: DAYS, by },
                  onProgress: (name) => (done, total, what) => report(done, total, `${what} of ${name}`),
                },
                through,
              ),
            ),
          );
        }),
      );

    months
      .command('list')
      .description('List closed months.')
      .addHelpText('after', examples('month list', 'month list --json'))
      .action(
        act(async (app) => {
          const closed = await app.get(MonthClosingService).list();
          return { ...list(closed.map(toRow), 'No month is closed.'), json: closed.map(toJson) };
        }),
      );

    months
      .command('show')
      .description(
        'Show what each wallet had at the end of a closed month, and all that was moved until then.',
      )
      .argument('<month>', 'month such as 2026-10', month)
      .addHelpText('after', examples('month show 2026-10'))
      .action(
        act(async (app, name: string) => {
          const { closing, wallets } = await app.get(MonthClosingService).show(name);
          const { checks } = closing;
          const balances = wallets.map(toBalances);
          return {
            json: { ...toJson(closing), checks, balances },
            text: () => paragraphs(listTable([toRow(closing)]), listTable(checks), listTable(balances)),
          };
        }),
      );
  },
};

function closeResult({ closed, refused }: { closed: ClosedMonth[]; refused: Refusal | null }): Result {
  const done = list(closed.map(toRow), refused ? '' : 'There is no month to close.');
  const failed = refused?.checks.map(({ name, detail }) => ({ check: name, result: 'FAILED', detail })) ?? [];
  return {
    json: { closed: closed.map(toJson), refused },
    text: () =>
      paragraphs(
        done.text(),
        listTable(failed),
        refused ? `${refused.month} was NOT closed: its books are not in order.` : undefined,
      ),
    ok: refused === null,
  };
}

const toRow = (closed: ClosedMonth): Record<string, unknown> => ({
  month: closed.month,
  orders: String(closed.orders),
  left_open: closed.left_open.length,
  transfers: String(closed.transfers),
  deliveries: String(closed.deliveries),
  wallets: closed.wallets,
  closed_at: closed.closed_at.toISOString(),
  closed_by: closed.closed_by,
});

const toJson = (closed: ClosedMonth): Record<string, unknown> => ({
  month: closed.month,
  orders: Number(closed.orders),
  left_open: closed.left_open.length,
  transfers: Number(closed.transfers),
  deliveries: Number(closed.deliveries),
  wallets: closed.wallets,
  closed_at: closed.closed_at.toISOString(),
  closed_by: closed.closed_by,
  version: closed.version,
  hash: closed.hash.toString('hex'),
});

const toBalances = (wallet: ClosedWallet): Record<string, unknown> => ({
  merchant_id: wallet.merchant_id,
  available: formatBaht(wallet.available),
  held: formatBaht(wallet.held),
  credits: formatBaht(wallet.credits),
  debits: formatBaht(wallet.debits),
  holds: formatBaht(wallet.holds),
  spends: formatBaht(wallet.spends),
  refunds: formatBaht(wallet.refunds),
});
