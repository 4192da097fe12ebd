import type { Command } from 'commander';
import { formatBaht, type Satang } from '../core/money.js';
import type { Actor } from '../audit-log/audit-log.js';
import type { Wallet } from '../wallet/wallet.entity.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { WalletService } from '../wallet/wallet.service.js';
import { ReportsModule } from '../accounting/reports/reports.module.js';
import { AccountStatementService, type Period } from '../accounting/reports/statement.service.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { assertPeriod, baht, id, moment, refuseBoth } from './options.js';
import { list, record } from './output.js';
import { walletStatement } from './statement.view.js';

interface MovementOptions extends Actor {
  merchant: number;
  amount: Satang;
  reference: string;
  note?: string;
  /** Only a debit asks for confirmation. */
  yes?: boolean;
}

type StatementGiven = Period & { merchant: number; csv?: boolean };

const DESCRIPTIONS = {
  credit: 'Credit a merchant’s wallet. Repeating a reference with the same amount has no effect.',
  debit: 'Debit a merchant’s wallet. Repeating a reference with the same amount has no effect.',
};

const EXAMPLES = {
  credit: 'wallet credit --merchant 1 --amount 1000.00 --reference bank-20260115-1',
  debit: 'wallet debit --merchant 1 --amount 250.00 --reference bank-20260115-2',
};

export const walletCommands: CommandGroup = {
  // Statements come from ReportsModule. The entries of WalletModule are for merchants, without notes.
  features: { imports: [WalletModule, ReportsModule] },
  define(wallet) {
    for (const kind of ['credit', 'debit'] as const) {
      const command = wallet
        .command(kind)
        .description(DESCRIPTIONS[kind])
        .requiredOption('--merchant <id>', 'merchant id', id)
        .requiredOption('--amount <baht>', 'amount in baht, such as 1000.00', baht)
        .requiredOption(
          '--reference <text>',
          'your reference of the movement, such as the bank’s; unique among the merchant’s credits and debits',
        )
        .option('--note <text>', 'note, up to 500 characters')
        .audited();
      if (kind === 'debit') command.asksFirst();
      command
        .examples(EXAMPLES[kind])
        .does(async (app, { merchant: merchantId, yes, ...movement }: MovementOptions) => {
          const wallets = app.get(WalletService);
          if (kind === 'debit') await confirm(await debitInWords(wallets, merchantId, movement.amount), { yes });
          return record(toJson(await wallets[kind]({ merchantId, ...movement })));
        });
    }

    wallet
      .command('show')
      .description('Show a merchant’s balances: available for new orders, and held by open orders.')
      .requiredOption('--merchant <id>', 'merchant id', id)
      .examples('wallet show --merchant 1')
      .does(async (app, { merchant }: { merchant: number }) =>
        record(toJson(await app.get(WalletService).get(merchant))),
      );

    wallet
      .command('list')
      .description('List the balances of all merchants, lowest available balance first.')
      .examples('wallet list')
      .does(async (app) => {
        const rows = (await app.get(WalletService).list()).map((each) => {
          const { merchant_id, ...balances } = toJson(each);
          return { merchant_id, name: each.name, sandbox: each.sandbox, ...balances };
        });
        const { text } = list(
          rows.some(({ sandbox }) => sandbox) ? rows : rows.map(({ sandbox: _none, ...row }) => row),
          'There are no wallets: topup merchant create adds a merchant with one.',
        );
        return { json: rows, text };
      });

    defineStatement(wallet);
  },
};

function defineStatement(wallet: OperatorCommand): void {
  wallet
    .command('statement')
    .description('List the movements of a merchant’s available balance, newest first.')
    .requiredOption('--merchant <id>', 'merchant id', id)
    .option('--from <moment>', 'movements at or after this time, in ISO 8601', moment)
    .option('--to <moment>', 'movements before this time, in ISO 8601', moment)
    .option('--csv', 'print CSV with a header line')
    .examples(
      'wallet statement --merchant 1 --from 2026-01-15T00:00:00+07:00',
      'wallet statement --merchant 1 --csv > entries.csv',
    )
    .does(async (app, { merchant, csv, ...period }: StatementGiven, command: Command) => {
      if (csv) refuseBoth(command, '--csv');
      assertPeriod(['--from', period.from], ['--to', period.to]);
      await app.get(WalletService).get(merchant);
      return walletStatement(await app.get(AccountStatementService).read(merchant, period), { csv });
    });
}

async function debitInWords(wallets: WalletService, merchantId: number, amount: Satang): Promise<string> {
  const { available } = await wallets.get(merchantId);
  return `${formatBaht(amount)} THB leave the wallet of merchant ${merchantId}, which has ${formatBaht(available)} available.`;
}

const toJson = ({ merchant_id, available, held }: Wallet): Record<string, unknown> => ({
  merchant_id,
  available_amount: formatBaht(available),
  held_amount: formatBaht(held),
});
