import { AuditService, type CheckResult } from '../audit/audit.service.js';
import { examples, type CommandGroup } from './command-group.js';
import { listTable, paragraphs, type Result } from './output.js';
import { withProgress } from './progress.js';
import { paint } from './terminal.js';

export const auditCommands: CommandGroup = {
  features: { providers: [AuditService] },
  define(audit, act) {
    audit
      .description(
        'Check that the books are consistent, in one snapshot. The exit code is 1 if a check fails.',
      )
      .addHelpText('after', examples('audit', 'audit --json'))
      .action(
        act(async (app) => {
          const service = app.get(AuditService);
          return toResult(await withProgress('Checking the books', (report) => service.run(report)));
        }),
      );
  },
};

function toResult(checks: CheckResult[]): Result {
  const failed = checks.filter((check) => !check.ok).length;
  const verdict = failed === 0 ? 'The books are in order.' : `${failed} of ${checks.length} checks FAILED.`;
  const rows = checks.map(({ name, ok, detail }) => ({ check: name, result: ok ? 'ok' : 'FAILED', detail }));
  const text = (): string => paragraphs(listTable(rows), paint(failed === 0 ? 'green' : 'red', verdict));
  return { json: { ok: failed === 0, checks }, text, ok: failed === 0 };
}
