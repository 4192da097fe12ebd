import { recordAction } from '../audit-log/audit-log.js';
import type { Database } from '../database/database.js';
import type { Caller } from './access/caller.js';

/** The facts about a downloaded file, for the audit log. */
interface LoggedExport {
  list: string;
  filter: object;
  lines: number;
  merchantId?: number;
}

/** Records a downloaded file in the audit log. */
export const logExport = (database: Database, caller: Caller, { merchantId, ...file }: LoggedExport): Promise<void> =>
  database.transaction((tx) => {
    const detail = { ...file, filter: { ...file.filter } };
    recordAction(tx, caller.actor(), { action: 'export.run', merchantId, detail });
  });
