import type { INestApplicationContext } from '@nestjs/common';
import type { Actor } from '../audit-log/audit-log.js';
import { pick } from '../core/members.js';
import { formatBaht, type Satang } from '../core/money.js';
import { MAX_INTEGER } from '../core/pagination.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import type { PaymentRow } from '../deposits/payments.repository.js';
import { PaymentsService, type PaymentDecision, type Recipient } from '../deposits/payments.service.js';
import { toPaymentView, type View } from '../deposits/views.js';
import { operatorOption, type CommandGroup, type OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { assertKnown } from './known-names.js';
import { baht, id, integer, only } from './options.js';
import { limitedList, listTable, paragraphs, recordTable, type Result } from './output.js';
import { CommandError } from './problems.js';

interface ListGiven {
  waiting?: boolean;
  cases?: boolean;
  channel?: string;
  merchant?: number;
  amount?: Satang;
  limit: number;
}

type Reasoned = Actor & { reason: string };

interface DecisionGiven extends Reasoned {
  deposit?: string;
  merchant?: number;
  reference?: string;
  yes?: boolean;
}

const REASONS = `
A payment waits for one of these reasons:
UNMATCHED: no deposit has its reference, and none reserved its amount at that time.
TOO_EARLY: the deposit with the amount was made afterwards.
DOUBLE: the deposit is paid already, or this payment is reported twice: see whether its deposit is paid.
AMBIGUOUS: two deposits may be meant. LARGE: above the channel’s --hold-above.
UNCONFIRMED: only a slip reports it, and with it the merchant’s unconfirmed payments would be above the limit.
NOT_IN_STATEMENT: only a slip reports it, and the statement does not. At a biller, an UNMATCHED line within 10 minutes may be
this payment: never credit both.
TAKEN_BACK: the vendor gave it, or a part of it, back to the payer.
WRONG_CURRENCY: it is not in THB. WALLET_FULL: the wallet can’t hold that much.
A booked payment with a reason is a case, which debit or keep closes: TAKEN_BACK, NOT_IN_STATEMENT, or CONTRADICTION: a later
report has another amount.
`;

export const paymentCommands: CommandGroup = {
  features: { imports: [DepositsModule, NoQueuesModule] },
  define(payment) {
    payment
      .command('list')
      .description('List incoming payments, newest first; with --waiting or --cases, oldest first.')
      .option('--waiting', 'only payments that wait for a decision')
      .option('--cases', 'only booked payments that need a second decision')
      .option('--channel <code>', 'only payments of this channel')
      .option('--merchant <id>', 'only payments credited to this merchant; with --waiting, those probably for it', id)
      .option('--amount <baht>', 'only payments of this amount', baht)
      .option('--limit <n>', 'maximum number of payments', integer(1, Number(MAX_INTEGER)), 100)
      .notes(REASONS)
      .examples('payment list --waiting', 'payment list --amount 1000.14')
      .does(async (app, { merchant, channel, ...rest }: ListGiven): Promise<Result> => {
        if (rest.waiting && rest.cases) throw new CommandError('choose one: --waiting or --cases');
        await assertKnown(app, { merchant, channel });
        const filter = { merchantIds: only(merchant), channels: only(channel), ...rest };
        const payments = (await app.get(PaymentsService).list(filter)).map(toPaymentView);
        const first = rest.waiting || rest.cases ? 'oldest' : 'newest';
        const { text } = limitedList(payments.map(toLine), 'There are no such payments.', rest.limit, first);
        return { json: payments, text };
      });

    payment
      .command('show')
      .description('Show a payment, and for a waiting payment the deposits and merchants to which it may belong.')
      .argument('<id>', 'payment id')
      .examples('payment show pay_0123456789ABCDEFGHIJKL')
      .does(async (app, paymentId: string) => shown(await app.get(PaymentsService).get(paymentId)));

    for (const decision of DECISIONS) defineDecision(payment, decision);
  },
};

interface Definition {
  name: string;
  description: string;
  options: (command: OperatorCommand) => OperatorCommand;
  example: string;
  /** The consequence of the decision, as a sentence. */
  consequence: (given: DecisionGiven) => string;
  decisionOf: (given: DecisionGiven) => PaymentDecision;
}

const noOptions = (command: OperatorCommand): OperatorCommand => command;

const DECISIONS: Definition[] = [
  {
    name: 'credit',
    description: 'Credit a waiting payment to a deposit, or to a merchant, which then gets a new deposit for it.',
    options: (command) =>
      command
        .option('--deposit <number>', 'deposit number')
        .option('--merchant <id>', 'merchant id, if the payment is for none of its deposits', id),
    example: '--deposit dep_6D3KQJ0123456789 --reason "1.00 too little, asked by phone"',
    consequence: ({ deposit, merchant }) =>
      `The payment is credited to ${deposit === undefined ? `merchant ${merchant}` : `deposit ${deposit}`} for good.`,
    decisionOf: (given) => ({ kind: 'credit', recipient: recipientOf(given) }),
  },
  {
    name: 'return',
    description: 'Record that a waiting payment was sent back. This sends nothing.',
    options: (command) => command.requiredOption('--reference <text>', 'the bank’s reference of the outgoing transfer'),
    example: '--reference 202611250915ABC --reason "paid by mistake"',
    consequence: () => 'The payment is recorded as returned for good.',
    decisionOf: ({ reference = '' }) => ({ kind: 'return', reference }),
  },
  {
    name: 'ignore',
    description: 'Record that a waiting payment belongs to no merchant.',
    options: noOptions,
    example: '--reason "interest"',
    consequence: () => 'The payment is credited to nobody.',
    decisionOf: () => ({ kind: 'ignore' }),
  },
  {
    name: 'debit',
    description: 'Close a case: debit the payment from the wallet, as far as the money is available.',
    options: noOptions,
    example: '--reason "the bank reversed it"',
    consequence: () => 'What is still to be taken back leaves the merchant’s wallet, as far as it is available.',
    decisionOf: () => ({ kind: 'debit' }),
  },
  {
    name: 'keep',
    description: 'Close a case and leave the money where it is.',
    options: noOptions,
    example: '--reason "the statement was wrong, confirmed by the bank"',
    consequence: () => 'The case is closed, and the money stays in the wallet.',
    decisionOf: () => ({ kind: 'keep' }),
  },
];

function defineDecision(
  payment: OperatorCommand,
  { name, description, options, example, consequence, decisionOf }: Definition,
): void {
  const command = payment.command(name).description(description).argument('<id>', 'payment id');
  options(command)
    .requiredOption('--reason <text>', 'reason, for topup log; up to 500 characters')
    .addOption(operatorOption())
    .asksFirst()
    .examples(`payment ${name} pay_0123456789ABCDEFGHIJKL ${example}`)
    .does(async (app: INestApplicationContext, paymentId: string, given: DecisionGiven) => {
      const { reason, operator, yes } = given;
      const decision = decisionOf(given);
      const payments = app.get(PaymentsService);
      await payments.check(paymentId, decision, { reason, operator });
      await confirm(consequence(given), { yes });
      const { missing, ...row } = await payments.decide(paymentId, decision, { reason, operator });
      const result = shown(row);
      return missing === 0n
        ? result
        : { ...result, warnings: [`${formatBaht(missing)} THB were no longer available in the wallet`] };
    });
}

function recipientOf({ deposit, merchant }: DecisionGiven): Recipient {
  if (deposit !== undefined && merchant === undefined) return { depositNumber: deposit };
  if (merchant !== undefined && deposit === undefined) return { merchantId: merchant };
  throw new CommandError('give one of --deposit and --merchant');
}

function shown(row: PaymentRow): Result {
  const view = toPaymentView(row);
  const { suggestions, witnesses, ...others } = view;
  return {
    json: view,
    text: () => paragraphs(recordTable(others), listTable(witnesses as View[]), listTable(suggestions as View[])),
  };
}

function toLine(view: View): View {
  const numbers = (view.suggestions as View[]).map(({ deposit_number: number }) => number);
  const line = pick(view, 'id', 'channel', 'amount', 'paid_at', 'state', 'reason', 'merchant_id', 'deposit_number');
  return { ...line, suggestions: numbers };
}
