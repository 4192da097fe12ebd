import { setFlagsFromString } from 'node:v8';
import type { Actor } from '../audit-log/audit-log.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { NoQueuesModule } from '../queues/no-queues.module.js';
import type { ImportResult } from '../deposits/statements/import-result.js';
import { StatementRefused } from '../deposits/statements/statement-refused.js';
import { StatementsService } from '../deposits/statements/statements.service.js';
import { toImportResult, toImportView, toRefusal } from '../deposits/views.js';
import type { CommandGroup } from './command-group.js';
import { nameInWords, readFile } from './csv-file.js';
import { assertKnown } from './known-names.js';
import { day, only } from './options.js';
import { list, record, type Result } from './output.js';
import { withProgress } from './progress.js';

const IMPORT_HELP = `
A file must contain each of its days from the beginning; only the last day may be incomplete. Files may overlap: lines that were
imported before are left out. After an interruption, repeat the import: it continues. If anything in the file is wrong, or the
file does not continue the imported lines, the file is refused, and the exit code is 1. Nothing of it is imported, unless another
import ran meanwhile: then the lines imported until then stay.
`;

/** Without this flag, V8 lets the heap grow to three times the objects in use before it collects garbage. */
const COLLECT_SOONER = '--heap-growing-percent=50';

interface ImportGiven extends Actor {
  channel: string;
  dryRun?: boolean;
  acceptTextsOf?: string;
}

export const bankStatementCommands: CommandGroup = {
  features: { imports: [DepositsModule, NoQueuesModule] },
  define(statement) {
    statement
      .command('import')
      .description('Import a channel’s bank statement, and book the payments in it.')
      .argument('<file>', 'CSV file; - for standard input')
      .requiredOption('--channel <code>', 'channel code')
      .option('--dry-run', 'only report what the import would do')
      .option(
        '--accept-texts-of <day>',
        'accept changed texts, but not amounts, in the lines of this imported day',
        day,
      )
      .audited()
      .notes(IMPORT_HELP)
      .examples('statement import 2026-11-24.csv --channel kbank')
      .does(
        async (
          app,
          name: string,
          { channel, dryRun, acceptTextsOf: changedTextsOn, ...by }: ImportGiven,
        ): Promise<Result> => {
          const statements = app.get(StatementsService);
          const file = await readFile(name);
          setFlagsFromString(COLLECT_SOONER);
          try {
            if (dryRun)
              return imported(await statements.preview(channel, file, { changedTextsOn }), 'Nothing was imported.');
            const result = await withProgress('Importing lines', (onProgress) =>
              statements.import(channel, file, by, { changedTextsOn, onProgress }),
            );
            return imported(result);
          } catch (error) {
            if (error instanceof StatementRefused) return refused(channel, name, error);
            throw error;
          }
        },
      );

    statement
      .command('list')
      .description('List imported statements, newest first.')
      .option('--channel <code>', 'only statements of this channel')
      .examples('statement list --channel kbank')
      .does(async (app, { channel }: { channel?: string }) => {
        await assertKnown(app, { channel });
        const imports = await app.get(StatementsService).list({ channels: only(channel) });
        return list(imports.map(toImportView), 'No statement was imported.');
      });
  },
};

/** @param note a sentence above the table. */
function imported(result: ImportResult, note?: string): Result {
  const shown = record(toImportResult(result), note);
  const [first, last] = [result.daysWithoutLines[0], result.daysWithoutLines.at(-1)];
  if (first === undefined) return shown;
  const days = first === last ? first : `${first} to ${last}`;
  const words = `there is no line of ${days}, and balances can't tell whether lines are missing: compare with the bank's list`;
  return { ...shown, warnings: [words] };
}

function refused(channel: string, file: string, { code, problems, changedTextsOn }: StatementRefused): Result {
  const name = nameInWords(file);
  const advice = `if the bank changed them, import with --accept-texts-of ${changedTextsOn}`;
  const all = [...problems, ...(changedTextsOn === null ? [] : [advice])];
  const warnings = [`${name} was refused: ${code}`, ...all.map((each) => `  ${each}`)];
  return { ...record(toRefusal(channel, code)), ok: false, warnings };
}
