import { AuditModule } from '../accounting/audit/audit.module.js';
import { AuditService, type AuditResult, type Coverage } from '../accounting/audit/audit.service.js';
import type { CommandGroup } from './command-group.js';
import { withProgress } from './progress.js';
import { counted } from '../core/text.js';
import { checksTable, paragraphs, type Result } from './output.js';
import { paint } from './streams.js';

const HELP = `
Orders and movements of closed months were checked when the month was closed (topup month list). The audit checks the closings
and everything after them. With --full, it reads everything again and compares each closing with it.
`;

export const auditCommands: CommandGroup = {
  features: { imports: [AuditModule] },
  define(audit) {
    audit
      .description('Check that the books are consistent. The exit code is 1 if a check fails.')
      .option('--full', 'also read closed months again')
      .notes(HELP)
      .examples('audit', 'audit --full', 'audit --json')
      .does(async (app, { full }: { full?: boolean }) => {
        const service = app.get(AuditService);
        return auditResult(await withProgress('Checking the books', (onProgress) => service.run({ full, onProgress })));
      });
  },
};

/** Every check with its numbers, and what the audit covered. */
function auditResult({ checks, coverage }: AuditResult): Result {
  const failed = checks.filter((check) => !check.ok).length;
  const summary = failed === 0 ? 'The books are in order.' : `${failed} of ${checks.length} checks FAILED.`;
  const ok = failed === 0;
  return {
    json: { ok, checks, ...toJson(coverage) },
    text: () => paragraphs(checksTable(checks), inWords(coverage), paint(ok ? 'green' : 'red', summary)),
    ok,
  };
}

const toJson = ({ full, orders, transfers, closed, archived }: Coverage): object => ({
  full,
  checked: { orders: Number(orders), transfers: Number(transfers) },
  closed: closed && {
    from: closed.from,
    through: closed.through,
    orders: Number(closed.orders),
    left_open: closed.leftOpen,
    last_closed_at: closed.lastClosedAt.toISOString(),
  },
  archived: archived && { ...archived, orders: Number(archived.orders) },
});

function inWords({ full, orders, transfers, closed, archived }: Coverage): string | undefined {
  if (!closed) return undefined;
  const now = `Checked now: ${counted(orders, 'order')} and ${counted(transfers, 'movement')} of money`;
  if (full) return `${now}, closed months included.${archivedInWords(archived)}`;
  const months =
    closed.months === 1 ? `month ${closed.from}` : `${closed.months} months from ${closed.from} to ${closed.through}`;
  return (
    `${now}.\nNot read again: ${counted(closed.orders, 'order')} of the closed ${months}, checked when each was closed, ` +
    `last on ${closed.lastClosedAt.toISOString().slice(0, 10)}. topup audit --full reads them too.`
  );
}

function archivedInWords(archived: Coverage['archived']): string {
  if (!archived) return '';
  const { from, through, orders } = archived;
  const months = from === through ? from : `${from} to ${through}`;
  return (
    `\nNot read: ${counted(orders, 'order')} of ${months}, which ${orders === 1n ? 'is' : 'are'} archived ` +
    '(topup month archives). Their movements of money were read.'
  );
}
