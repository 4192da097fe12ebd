import type { INestApplicationContext } from '@nestjs/common';
import { pick } from '../core/members.js';
import { bahtOrNull, formatBaht, type Satang } from '../core/money.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import type { Actor } from '../audit-log/audit-log.js';
import { MAX_WEIGHT, type Merchant, type MerchantStatus } from '../merchants/merchant.entity.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { WalletService } from '../wallet/wallet.service.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { baht, id, integer } from './options.js';
import { list, record, type Result } from './output.js';
import { CommandError } from './problems.js';

type CreationGiven = Actor & { name: string; sandbox?: boolean };
type AlertGiven = Actor & { merchant: number; below?: Satang; off?: boolean };
type WeightGiven = Actor & { merchant: number; weight: number };

const STATUS_COMMANDS: [name: 'suspend' | 'resume', description: string, status: MerchantStatus][] = [
  ['suspend', 'Refuse a merchant’s requests, within 5 seconds. Its open orders are still completed.', 'suspended'],
  ['resume', 'Accept a suspended merchant’s requests again, within 5 seconds.', 'active'],
];
const REASONS = { suspend: 'its key was published', resume: 'it has a new key' };

export const merchantCommands: CommandGroup = {
  features: { imports: [MerchantsModule, WalletModule] },
  define(merchant) {
    defineCreate(merchant);

    merchant
      .command('list')
      .description('List all merchants.')
      .examples('merchant list', 'merchant list --json')
      .does(async (app) => {
        const merchants = await app.get(MerchantsService).list();
        const wallets = await app.get(WalletService).list();
        const alerts = new Map(wallets.map(({ merchant_id, alert_below }) => [merchant_id, alert_below]));
        const json = merchants.map((each) => toJson(each, alerts.get(each.id)));
        // Leave out a column that says the same of all merchants.
        const isMarked = merchants.some(({ sandbox }) => sandbox);
        const isWeighted = merchants.some(({ weight }) => weight > 1);
        const isAlerted = json.some((each) => 'alert_below' in each);
        const lines = json.map(({ sandbox, weight, alert_below, ...each }) => ({
          ...each,
          ...(isMarked ? { sandbox } : {}),
          ...(isWeighted ? { weight } : {}),
          ...(isAlerted ? { alert_below } : {}),
        }));
        const { text } = list(lines, 'There are no merchants: topup merchant create adds one.');
        return { json, text };
      });

    merchant
      .command('show')
      .description('Show one merchant.')
      .argument('<id>', 'merchant id', id)
      .examples('merchant show 1')
      .does(async (app, merchantId: number) => {
        return shown(app, await app.get(MerchantsService).get(merchantId));
      });

    for (const [name, description, status] of STATUS_COMMANDS) {
      merchant
        .command(name)
        .description(description)
        .argument('<id>', 'merchant id', id)
        .audited()
        .examples(`merchant ${name} 1`, `merchant ${name} 1 --reason "${REASONS[name]}"`)
        .does(async (app, merchantId: number, by: Actor) =>
          shown(app, await app.get(MerchantsService).setStatus(merchantId, status, by)),
        );
    }

    defineSetAlert(merchant);
    defineSetWeight(merchant);
  },
};

function defineCreate(merchant: OperatorCommand): void {
  merchant
    .command('create')
    .description('Add a merchant with an empty wallet.')
    .requiredOption('--name <name>', 'merchant name, 1 to 128 characters')
    .option('--sandbox', 'a merchant for trying out the service: its orders are never bought from a real supplier')
    .audited()
    .examples(
      'merchant create --name "Somchai Game Shop"',
      'merchant create --name "Somchai Game Shop (sandbox)" --sandbox',
    )
    .does(async (app, { name, sandbox, ...by }: CreationGiven) => {
      const created = await app.get(MerchantsService).create(name, by, { sandbox });
      return record(toJson(created), `Merchant ${created.id} was added. Next: topup api-key issue.`);
    });
}

const ALERT_HELP = `
Each time the available balance drops below the threshold, the merchant's webhooks that subscribe to wallet.low_balance
get one event. Setting the alert sends nothing, even if the balance is already below.
`;

function defineSetAlert(merchant: OperatorCommand): void {
  merchant
    .command('set-alert')
    .description('Notify a merchant’s webhooks when its available balance falls below a threshold.')
    .requiredOption('--merchant <id>', 'merchant id', id)
    .option('--below <baht>', 'threshold in baht, such as 500.00', baht)
    .option('--off', 'remove the alert')
    .audited()
    .notes(ALERT_HELP)
    .examples('merchant set-alert --merchant 1 --below 500.00', 'merchant set-alert --merchant 1 --off')
    .does(async (app, { merchant: merchantId, below, off = false, ...by }: AlertGiven) => {
      if (off === (below !== undefined)) throw new CommandError('give either --below with an amount, or --off');
      const wallet = await app.get(WalletService).setAlert(merchantId, below ?? null, by);
      return record({
        merchant_id: merchantId,
        alert_below: bahtOrNull(wallet.alert_below),
        available_amount: formatBaht(wallet.available),
      });
    });
}

const WEIGHT_HELP = `
While units of several merchants wait for a supplier, they share its free slots in turns. In each turn, a merchant gets as
many slots as its weight. Workers use a new weight from their next claim on.
`;

function defineSetWeight(merchant: OperatorCommand): void {
  merchant
    .command('set-weight')
    .description('Set a merchant’s share of suppliers’ slots, compared with the weights of other merchants.')
    .requiredOption('--merchant <id>', 'merchant id', id)
    .requiredOption('--weight <number>', `from 1 to ${MAX_WEIGHT}; new merchants have 1`, integer(1, MAX_WEIGHT))
    .audited()
    .notes(WEIGHT_HELP)
    .examples('merchant set-weight --merchant 1 --weight 3')
    .does(async (app, { merchant: merchantId, weight, ...by }: WeightGiven) =>
      shown(app, await app.get(MerchantsService).setWeight(merchantId, weight, by)),
    );
}

async function shown(app: INestApplicationContext, merchant: Merchant): Promise<Result> {
  const { alert_below } = await app.get(WalletService).get(merchant.id);
  return record(toJson(merchant, alert_below));
}

/** A merchant, with its alert if there is one. */
const toJson = (merchant: Merchant, alertBelow: Satang | null = null): Record<string, unknown> => ({
  ...pick(merchant, 'id', 'name', 'status', 'sandbox', 'weight', 'created_at'),
  ...(alertBelow === null ? {} : { alert_below: formatBaht(alertBelow) }),
});
