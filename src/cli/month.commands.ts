import { pick } from '../core/members.js';
import { AuditModule } from '../accounting/audit/audit.module.js';
import {
  isRefusal,
  MonthClosingService,
  type CloseOptions,
  type ClosedMonth,
  type ClosedWallet,
  type Refusal,
} from '../accounting/audit/month-closing.service.js';
import type { Actor } from '../audit-log/audit-log.js';
import { formatBaht } from '../core/money.js';
import type { CommandGroup } from './command-group.js';
import { defineArchive } from './month-archive.commands.js';
import { month } from './options.js';
import { checksTable, list, listTable, paragraphs, type Streamed } from './output.js';
import { withProgress, type ReportProgress } from './progress.js';

/** A month can be closed only this many days after its end. Until then a transaction may still write to it. */
const CLOSE_AFTER_DAYS = 1;

const CLOSE_HELP = `
Checks every order, movement of money and delivery of a month once, and stores the balances of all wallets at its end. Later audits
continue from there. Orders that have not ended are counted as left_open, and each later audit checks them again. If a check fails, the
month stays open and the exit code is 1; earlier months stay closed. Each month is printed when it is closed. Months are those of
Asia/Bangkok. Workers close months too, after MONTH_CLOSE_AFTER_DAYS.
`;

export const monthCommands: CommandGroup = {
  features: { imports: [AuditModule] },
  define(months) {
    months
      .command('close')
      .description('Close months that ended a day ago or longer.')
      .option('--through <month>', 'last month to close, such as 2026-10', month)
      .audited()
      .notes(CLOSE_HELP)
      .examples('month close', 'month close --through 2026-10')
      .does((app, { through, ...by }: { through?: string } & Actor) =>
        Promise.resolve(closing(app.get(MonthClosingService), by, through)),
      );

    months
      .command('list')
      .description('List closed months.')
      .examples('month list', 'month list --json')
      .does(async (app) => {
        const closed = await app.get(MonthClosingService).list();
        return { ...list(closed.map(toRow), 'No month is closed.'), json: closed.map(toJson) };
      });

    months
      .command('show')
      .description('Show each wallet at the end of a closed month, with the sums of its movements until then.')
      .argument('<month>', 'month such as 2026-10', month)
      .examples('month show 2026-10')
      .does(async (app, name: string) => {
        const { closing, wallets } = await app.get(MonthClosingService).show(name);
        const { checks } = closing;
        const balances = wallets.map(toBalances);
        return {
          json: { ...toJson(closing), checks, balances },
          text: () => paragraphs(listTable([toRow(closing)]), listTable(checks), listTable(balances)),
        };
      });

    defineArchive(months);
  },
};

/**
 * Closes months. As text, prints each month when it is closed. As JSON, prints one value at the end. After an error, prints JSON
 * only if a month was closed before the error.
 */
function closing(service: MonthClosingService, by: Actor, through: string | undefined): Streamed {
  const closed: ClosedMonth[] = [];
  let refused: Refusal | null = null;
  const value = (): string => `${JSON.stringify({ closed: closed.map(toJson), refused })}\n`;
  return {
    changes: true,
    async *parts(asJson) {
      try {
        for await (const found of withEachProgress(service, { days: CLOSE_AFTER_DAYS, by }, through)) {
          if (isRefusal(found)) refused = found;
          else closed.push(found);
          if (!asJson) yield `${isRefusal(found) ? refusalText(found) : listTable([toRow(found)])}\n`;
        }
      } catch (error) {
        if (asJson && closed.length > 0) yield value();
        throw error;
      }
      if (asJson) yield value();
      else if (closed.length === 0 && !refused) yield 'There is no month to close.\n';
    },
    end: () => ({ ok: refused === null }),
  };
}

/** Shows the progress of each month, and hides it while a month is printed. */
async function* withEachProgress(
  service: MonthClosingService,
  options: Omit<CloseOptions, 'onProgress'>,
  through: string | undefined,
): AsyncGenerator<ClosedMonth | Refusal> {
  let report: ReportProgress = () => undefined;
  const months = service.close(
    {
      ...options,
      onProgress: (name) => (done, total, what) => report(done, total, `${what} of ${name}`),
    },
    through,
  );
  for (;;) {
    const next = await withProgress('Closing', (shown) => {
      report = shown;
      return months.next();
    });
    if (next.done) return;
    yield next.value;
  }
}

const refusalText = ({ month: refused, checks }: Refusal): string =>
  paragraphs(checksTable(checks), `${refused} was NOT closed: its books are not in order.`);

const toRow = (closed: ClosedMonth): Record<string, unknown> => ({
  month: closed.month,
  orders: String(closed.orders),
  left_open: closed.left_open.length,
  transfers: String(closed.transfers),
  deliveries: String(closed.deliveries),
  wallets: closed.wallets,
  ...pick(closed, 'closed_at', 'closed_by'),
});

const toJson = (closed: ClosedMonth): Record<string, unknown> => ({
  month: closed.month,
  orders: Number(closed.orders),
  left_open: closed.left_open.length,
  transfers: Number(closed.transfers),
  deliveries: Number(closed.deliveries),
  wallets: closed.wallets,
  ...pick(closed, 'closed_at', 'closed_by', 'version'),
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
