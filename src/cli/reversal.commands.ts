import type { Satang } from '../core/money.js';
import { examples, type CommandGroup } from './command-group.js';
import { ASKS_FIRST, confirm } from './confirm.js';
import { baht, id, operatorOption, yesOption } from './options.js';
import { list, record } from './output.js';
import { ReversalsModule } from '../support/reversals.module.js';
import { ReversalsService } from '../support/reversals.service.js';

const KINDS = `
taken_back: we paid, and the supplier says now that it failed. bought_late: the merchant got its money back, and the
supplier says now that it was bought. unknown_purchase: the supplier names another purchase than the one we know.
No money of the merchant moves by itself.
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
      .description('List the cases in which a supplier contradicts how a unit was settled, newest first.')
      .option('--open', 'only those that are not closed')
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
      .description('Close a case, after it was settled with the supplier.')
      .argument('<id>', 'which one', id)
      .option('--credit <baht>', 'what the order’s merchant gets for it', baht)
      .requiredOption('--reason <text>', 'what was agreed, for topup log; up to 500 characters')
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
