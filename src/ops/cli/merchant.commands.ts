import { MerchantsModule } from '../../merchants/merchants.module.js';
import type { Merchant } from '../../merchants/merchant.entity.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { examples, type CommandGroup } from './command-group.js';
import { id } from './options.js';
import { list, record } from './output.js';

export const merchantCommands: CommandGroup = {
  features: { imports: [MerchantsModule] },
  define(merchant, act) {
    merchant
      .command('create')
      .description('Add a merchant with an empty wallet.')
      .requiredOption('--name <name>', 'its name, 1 to 128 characters')
      .addHelpText('after', examples('merchant create --name "Somchai Game Shop"'))
      .action(
        act(async (app, { name }: { name: string }) => {
          const created = await app.get(MerchantsService).create(name);
          return record(toJson(created), `Merchant ${created.id} was added. Next: topup api-key issue.`);
        }),
      );

    merchant
      .command('list')
      .description('List all merchants.')
      .addHelpText('after', examples('merchant list', 'merchant list --json'))
      .action(
        act(async (app) => {
          const merchants = await app.get(MerchantsService).list();
          return list(merchants.map(toJson), 'There are no merchants: topup merchant create adds one.');
        }),
      );

    merchant
      .command('show')
      .description('Show one merchant.')
      .argument('<id>', 'the merchant', id)
      .addHelpText('after', examples('merchant show 1'))
      .action(
        act(async (app, merchantId: number) =>
          record(toJson(await app.get(MerchantsService).get(merchantId))),
        ),
      );

    merchant
      .command('suspend')
      .description('Refuse all requests of a merchant within 5 seconds. Its open orders go on to their end.')
      .argument('<id>', 'the merchant', id)
      .addHelpText('after', examples('merchant suspend 1'))
      .action(
        act(async (app, merchantId: number) =>
          record(toJson(await app.get(MerchantsService).setStatus(merchantId, 'suspended'))),
        ),
      );

    merchant
      .command('resume')
      .description('Accept a suspended merchant’s requests again, within 5 seconds.')
      .argument('<id>', 'the merchant', id)
      .addHelpText('after', examples('merchant resume 1'))
      .action(
        act(async (app, merchantId: number) =>
          record(toJson(await app.get(MerchantsService).setStatus(merchantId, 'active'))),
        ),
      );
  },
};

const toJson = ({ id, name, status, createdAt }: Merchant): Record<string, unknown> => ({
  id,
  name,
  status,
  created_at: createdAt.toISOString(),
});
