import { formatBaht, type Satang } from '../core/money.js';
import type { Actor } from '../audit-log/audit-log.js';
import { AppError } from '../core/errors.js';
import { MAX_INTEGER } from '../core/pagination.js';
import { operatorOption, type CommandGroup } from './command-group.js';
import { confirm } from './confirm.js';
import { baht, id, integer } from './options.js';
import { list, listTable, paragraphs, record, recordTable, type Result, type Streamed } from './output.js';
import { jsonArray, tables } from './parts.js';
import { CommandError } from './problems.js';
import { ReversalsModule } from '../support/reversals.module.js';
import {
  ReversalsService,
  type ClosedReversal,
  type Reversal,
  type ReversalDetail,
} from '../support/reversals.service.js';

const KINDS = `
taken_back: we paid, but the supplier now reports that the unit failed.
bought_late: a supplier now reports that it sold the unit by an attempt that we recorded as not bought.
unknown_purchase: the supplier reports a purchase that our books do not have. If the purchase has an order, it is a second purchase of
a unit. If it has none, our database has lost the order (restored from a backup, or a lost primary), or another buyer uses our
account at the supplier.
Closing a discrepancy moves a merchant's money only with a credit.
`;

const MATCHES = `
handed_over: the supplier delivered a code or the like. The console shows it to operators who may reveal codes.

likely_matches: units for the same player and product, ordered from a day before the purchase to 30 days after it. A merchant
that found its order gone may have sent it again, which bought it twice. There are none if the supplier does not report the
player.
`;

interface CloseGiven {
  credit?: Satang;
  reason: string;
  operator: string;
  yes?: boolean;
}

export const reversalCommands: CommandGroup = {
  features: { imports: [ReversalsModule] },
  define(reversal) {
    reversal
      .command('list')
      .description('List discrepancies between suppliers’ reports and our books, newest first.')
      .option('--open', 'open discrepancies only')
      .option('--limit <n>', 'maximum number of discrepancies (default: all)', integer(1, Number(MAX_INTEGER)))
      .notes(KINDS)
      .examples('reversal list --open')
      .does((app, { open, limit }: { open?: boolean; limit?: number }) => {
        // One more than is shown, to know whether there are more.
        const most = limit === undefined ? undefined : limit + 1;
        return Promise.resolve(listed(app.get(ReversalsService).pages({ open, limit: most }), limit));
      });

    reversal
      .command('show')
      .description('Show a discrepancy and, for a purchase without an order, units that may repeat it.')
      .argument('<id>', 'discrepancy id', id)
      .notes(MATCHES)
      .examples('reversal show 9')
      .does(async (app, reversalId: number) => reversalDetail(await app.get(ReversalsService).show(reversalId)));

    reversal
      .command('close')
      .description('Close discrepancies after an agreement with the supplier.')
      .argument('<id...>', 'discrepancy ids', ids)
      .option('--credit <baht>', 'amount in baht to credit to the order’s merchant', baht)
      .requiredOption('--reason <text>', 'agreement with the supplier, for topup log; up to 500 characters')
      .addOption(operatorOption())
      .asksFirst()
      .examples(
        'reversal close 7 --reason "acme returned it to our deposit"',
        'reversal close 9 10 11 --reason "bought again after the restore, claimed: ticket 4712"',
        'reversal close 8 --credit 35.00 --reason "acme took the diamonds back, ticket 4711"',
      )
      .does(async (app, [first, ...others]: [number, ...number[]], { credit, yes, ...by }: CloseGiven) => {
        if (others.length === 0) {
          const reversals = app.get(ReversalsService);
          const { kind, detail, reported } = await reversals.get(first);
          const report = [reported ?? kind, detail].filter((each) => each !== null).join(', ');
          const paid = credit === undefined ? '' : `${formatBaht(credit)} THB are credited to the order’s merchant. `;
          await confirm(`The supplier reports: ${report}. ${paid}Discrepancy ${first} is closed for good.`, { yes });
          return closedOne(await reversals.close({ id: first, credit, expectedReported: reported, by }));
        }
        if (credit !== undefined) throw new CommandError('--credit is for a single discrepancy');
        const reversals = app.get(ReversalsService);
        // Discrepancies are never removed, so this check prevents that an unknown id stops the command halfway.
        await reversals.assertExist([first, ...others]);
        await confirm(`${others.length + 1} discrepancies are closed for good.`, { yes });
        return closeAll(reversals, [first, ...others], by);
      });
  },
};

/** Warns of an earlier credit, because the service does not give a second one. */
function closedOne({ credited_before: before, ...reversal }: ClosedReversal): Result {
  if (!before) return record({ ...reversal });
  const by = before.by === null ? '' : ` by ${before.by}`;
  return {
    ...record({ ...reversal, credited_before: before }),
    warnings: [`credited before,${by} at ${before.at}: the wallet stays as it is`],
  };
}

/**
 * Closes several discrepancies. A discrepancy that is already closed becomes a warning; the others are closed all the same.
 * @throws CommandError if all of them are closed already.
 */
async function closeAll(reversals: ReversalsService, all: number[], by: Actor): Promise<Result> {
  const closed = [];
  const warnings = [];
  for (const id of all) {
    try {
      closed.push({ ...(await reversals.close({ id, by })) });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
      warnings.push(error.message);
    }
  }
  if (closed.length === 0) throw new CommandError(['nothing was closed:', ...warnings].join('\n  '));
  return { ...list(closed, ''), warnings };
}

/** @param pages must have one discrepancy beyond the limit if there are more, so that the output can say so. */
function listed(pages: AsyncIterable<Reversal[]>, limit = Infinity): Streamed {
  let isCut = false;
  const shown = async function* (): AsyncGenerator<Reversal[]> {
    let left = limit;
    for await (const page of pages) {
      isCut = page.length > left;
      if (left > 0) yield page.slice(0, left);
      left -= page.length;
    }
  };
  return {
    async *parts(asJson) {
      yield* asJson ? jsonArray(shown()) : tables(shown(), 'There are no such discrepancies.\n');
      if (isCut && !asJson) yield `\nThere are more: these are the newest ${limit}.\n`;
    },
  };
}

/** An id that is given twice counts once. */
const ids = (text: string, earlier: number[] = []): number[] => [...new Set([...earlier, id(text)])];

const reversalDetail = ({ likely_matches: matches, ...reversal }: ReversalDetail): Result => ({
  json: { ...reversal, likely_matches: matches },
  text: () =>
    paragraphs(
      recordTable(reversal),
      matches.length > 0
        ? `Likely matches\n${listTable(matches.map((match) => ({ ...match })))}`
        : reversal.order_number === null
          ? 'There are no likely matches.'
          : '',
    ),
});
