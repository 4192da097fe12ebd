import path from 'node:path';
import { ArchiveModule } from '../accounting/archive/archive.module.js';
import { KEEP_DAYS, MonthArchiveService, type Archived } from '../accounting/archive/month-archive.service.js';
import { MonthRestoreService } from '../accounting/archive/month-restore.service.js';
import type { ArchivedOrders } from '../accounting/audit/closings.repository.js';
import type { Actor } from '../audit-log/audit-log.js';
import { counted } from '../core/text.js';
import type { CommandFeatures } from '../cli.module.js';
import type { OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { directory, month } from './options.js';
import { list, record, type Result } from './output.js';
import { withProgress } from './progress.js';

type ArchiveGiven = Actor & { through: string; to: string; yes?: boolean };

const features = (): Promise<CommandFeatures> => Promise.resolve({ imports: [ArchiveModule] });

const ARCHIVE_HELP = `
Moves partitions of orders to files, the oldest first, if all their orders lie in closed months up to the given one. That month
must have ended at least ${KEEP_DAYS} days ago. Files are read back and compared before anything is removed. Lists, reports and
the console no longer show archived orders until topup month restore brings them back. Money, codes and references stay. After
an interruption, start the command again: it resumes. DATABASE_URL must lead to PostgreSQL itself, not to a pooler.
`;

/** Commands that archive and restore months. */
export function defineArchive(months: OperatorCommand): void {
  months
    .command('archive')
    .description('Move old orders of closed months to files, and remove them from the database.')
    .requiredOption('--through <month>', 'last month whose orders to archive, such as 2026-05', month)
    .requiredOption('--to <directory>', 'directory on this machine; each partition gets its own in it', directory)
    .audited()
    .notes(ARCHIVE_HELP)
    .asksFirst()
    .examples('month archive --through 2026-05 --to /archive')
    .does(async (app, { through, to, yes, ...by }: ArchiveGiven) => {
      const directory = path.resolve(to);
      await confirm(`Orders up to ${through} are moved to ${directory}.`, { yes });
      return archiveResult(
        await withProgress('Archiving', (report) =>
          app.get(MonthArchiveService).archive({
            through,
            directory,
            by,
            onStep: (what) => report(null, undefined, what),
          }),
        ),
      );
    }, features);

  months
    .command('archives')
    .description('List partitions of orders that are archived.')
    .examples('month archives', 'month archives --json')
    .does(async (app) => {
      const archived = await app.get(MonthArchiveService).list();
      return list(archived.map(toRow), 'Nothing is archived.');
    }, features);

  months
    .command('restore')
    .description('Bring archived orders back into the database, as they were.')
    .argument('<directory>', 'directory of the partition, such as /archive/orders_p1')
    .audited()
    .examples('month restore /archive/orders_p1')
    .does(async (app, directory: string, by: Actor) => {
      const restored = await withProgress('Restoring', (report) =>
        app.get(MonthRestoreService).restore(directory, {
          by,
          onStep: (what) => report(null, undefined, what),
        }),
      );
      return record({ ...restored });
    }, features);
}

function archiveResult(archived: Archived[]): Result {
  return {
    json: archived,
    text: () =>
      archived
        .map(
          ({ partition, orders, from, through, bytes, directory }) =>
            `${partition}: ${counted(BigInt(orders), 'order')} of ${from === through ? from : `${from} to ${through}`}, ` +
            `${counted(BigInt(bytes), 'byte')} in ${directory}`,
        )
        .join('\n'),
  };
}

const toRow = ({
  number,
  months,
  orders,
  bytes,
  directory,
  archived_at: at,
}: ArchivedOrders): Record<string, unknown> => {
  const used = months.filter((each) => each.orders > 0).map((each) => each.month);
  return {
    partition: `orders_p${number}`,
    from: used[0] ?? null,
    through: used.at(-1) ?? null,
    orders: Number(orders),
    bytes: bytes === null ? null : Number(bytes),
    directory,
    archived_at: at?.toISOString() ?? null,
  };
};
