import { AuditModule } from '../accounting/audit/audit.module.js';
import { AuditService } from '../accounting/audit/audit.service.js';
import { auditResult } from './audit.view.js';
import { examples, type CommandGroup } from './command-group.js';
import { withProgress } from './progress.js';

const HELP = `
Orders and movements of closed months were checked when the month was closed (topup month list): only the closings are checked,
and what came after them. With --full everything is read again, and each closing is compared with it.
`;

export const auditCommands: CommandGroup = {
  features: { imports: [AuditModule] },
  define(audit, act) {
    audit
      .description('Check that the books are consistent. The exit code is 1 if a check fails.')
      .option('--full', 'read closed months again, too')
      .addHelpText('after', HELP + examples('audit', 'audit --full', 'audit --json'))
      .action(
        act(async (app, { full }: { full?: boolean }) => {
          const service = app.get(AuditService);
          return auditResult(
            await withProgress('Checking the books', (onProgress) => service.run({ full, onProgress })),
          );
        }),
      );
  },
};
