import type { Satang } from '../core/money.js';
import { examples, type CommandGroup } from './command-group.js';
import { ASKS_FIRST, confirm } from './confirm.js';
import { baht, id, operatorOption, yesOption } from './options.js';
import { list, record } from './output.js';
import { ReversalsModule } from '../support/reversals.module.js';
import { ReversalsService } from '../support/reversals.service.js';

const KINDS = `
taken_back: we paid, but the supplier now says that the unit failed.
bought_late: we refunded the merchant, but the supplier now says that the unit was bought.
unknown_purchase: the supplier names a different purchase from the one we know.
No case moves a merchant's money by itself.
`;

interface CloseGiven {
  credit?: Satang;
  reason: string;
  operator: string;
  yes?: boolean;
}

export const reversalCommands: CommandGroup = {
  features: { imports: [ReversalsModule] },
  define(reversal, act) {
    reversal
      .command('list')
      .description('List cases where a supplier contradicts a settled unit, newest first.')
      .option('--open', 'open cases only')
      .addHelpText('after', KINDS + examples('reversal list --open'))
      .action(
        act(async (app, { open }: { open?: boolean }) => {
          const cases = await app.get(ReversalsService).list({ open });
          return list(
            cases.map((each) => ({ ...each })),
            'There are no such cases.',
          );
        }),
      );

    reversal
      .command('close')
      .description('Close a case after settling it with the supplier.')
      .argument('<id>', 'case id', id)
      .option('--credit <baht>', 'amount in baht to credit to the order’s merchant', baht)
      .requiredOption('--reason <text>', 'agreement with the supplier, for topup log; up to 500 characters')
      .addOption(operatorOption())
      .addOption(yesOption())
      .addHelpText(
        'after',
        ASKS_FIRST +
          examples(
            'reversal close 7 --reason "acme returned it to our deposit"',
            'reversal close 8 --credit 35.00 --reason "acme took the diamonds back, ticket 4711"',
          ),
      )
      .action(
        act(async (app, reversalId: number, { credit, yes, ...by }: CloseGiven) => {
          await confirm(`Reversal ${reversalId} is closed for good.`, { yes });
          return record({ ...(await app.get(ReversalsService).close({ id: reversalId, credit, by })) });
        }),
      );
  },
};
