import type { Actor } from '../audit-log/audit-log.js';
import { pick } from '../core/members.js';
import { MAX_INTEGER } from '../core/pagination.js';
import type { Satang } from '../core/money.js';
import { DEPOSIT_STATUSES, type DepositStatus } from '../deposits/deposit.entity.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import { DepositsService } from '../deposits/deposits.service.js';
import { toDepositDetail, toDepositView, type View } from '../deposits/views.js';
import type { CommandGroup } from './command-group.js';
import { assertKnown } from './known-names.js';
import { assertPeriod, baht, id, integer, moment, oneOf, only } from './options.js';
import { limitedList, listTable, paragraphs, record, recordTable, type Result } from './output.js';

interface CreateGiven extends Actor {
  merchant: number;
  referenceId: string;
  amount: Satang;
  channel?: string;
  expiresIn: number;
}

interface ListGiven {
  merchant?: number;
  status?: DepositStatus;
  channel?: string;
  createdFrom?: Date;
  createdTo?: Date;
  limit: number;
}

export const depositCommands: CommandGroup = {
  features: { imports: [DepositsModule, NoQueuesModule] },
  define(deposit) {
    deposit
      .command('create')
      .description('Make a deposit for a merchant, with a QR code that its payer scans.')
      .requiredOption('--merchant <id>', 'merchant id', id)
      .requiredOption('--reference-id <text>', 'the merchant’s reference; repeating it returns the same deposit')
      .requiredOption('--amount <baht>', 'amount in baht, such as 1000.00', baht)
      .option('--channel <code>', 'channel code (default: the active channel with the lowest priority number)')
      .option('--expires-in <seconds>', 'seconds until the deposit expires', integer(60, 86_400), 900)
      .audited()
      .notes(PAY_HELP)
      .examples('deposit create --merchant 1 --reference-id invoice-7 --amount 1000.00')
      .does(async (app, { merchant: merchantId, referenceId, amount, channel, expiresIn, ...by }: CreateGiven) => {
        const request = { merchantId, referenceId, amount, channel, expiresIn };
        return record(toDepositView((await app.get(DepositsService).create(request, by)).row));
      });

    deposit
      .command('list')
      .description('List deposits, newest first.')
      .option('--merchant <id>', 'only deposits of this merchant', id)
      .option(
        '--status <status>',
        `only deposits with this status: ${DEPOSIT_STATUSES.join(', ')}`,
        oneOf(DEPOSIT_STATUSES),
      )
      .option('--channel <code>', 'only deposits of this channel')
      .option('--created-from <moment>', 'only deposits created at or after this time, in ISO 8601', moment)
      .option('--created-to <moment>', 'only deposits created before this time, in ISO 8601', moment)
      .option('--limit <n>', 'maximum number of deposits', integer(1, Number(MAX_INTEGER)), 100)
      .examples('deposit list --status pending', 'deposit list --merchant 1 --created-from 2026-11-24')
      .does(async (app, { merchant, status, channel, ...rest }: ListGiven): Promise<Result> => {
        assertPeriod(['--created-from', rest.createdFrom], ['--created-to', rest.createdTo]);
        await assertKnown(app, { merchant, channel });
        const filter = { merchantIds: only(merchant), statuses: only(status), channels: only(channel), ...rest };
        const deposits = (await app.get(DepositsService).list(filter)).map(toDepositView);
        const { text } = limitedList(deposits.map(toLine), 'There are no such deposits.', rest.limit);
        return { json: deposits, text };
      });

    deposit
      .command('show')
      .description('Show a deposit with its payments.')
      .argument('<number-or-reference>', 'our number or reference, or the merchant’s reference')
      .option('--merchant <id>', 'merchant id, if several have this reference', id)
      .examples('deposit show dep_6D3KQJ0123456789', 'deposit show invoice-7 --merchant 1')
      .does(async (app, text: string, { merchant }: { merchant?: number }): Promise<Result> => {
        const { payments, timeline, ...view } = toDepositDetail(await app.get(DepositsService).get(text, merchant));
        return {
          json: { ...view, payments, timeline },
          text: () => paragraphs(recordTable(view), listTable(payments as View[]), listTable(timeline as View[])),
        };
      });
  },
};

const PAY_HELP = `
The payer must pay amount_to_pay exactly, which scanning the QR code does. On channels that recognize payments by their amount,
amount_to_pay is a little above the amount. The wallet is credited with the amount that was paid.
`;

const toLine = (view: View): View =>
  pick(
    view,
    'deposit_number',
    'merchant_id',
    'reference_id',
    'status',
    'channel',
    'amount_to_pay',
    'paid_amount',
    'created_at',
  );
