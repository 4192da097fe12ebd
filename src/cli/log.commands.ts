import { AUDITED_ACTIONS, type AuditedAction } from '../audit-log/audit-log.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import type { CommandGroup } from './command-group.js';
import { AuditLogRepository, type LogEntry } from '../audit-log/audit-log.repository.js';
import { assertPeriod, id, integer, moment, oneOf, only } from './options.js';
import { limitedList } from './output.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const SOURCES = ['cli', 'console'] as const;

interface LogGiven {
  since?: Date;
  until?: Date;
  operator?: string;
  source?: 'cli' | 'console';
  merchant?: number;
  order?: string;
  action?: AuditedAction;
  limit: number;
}

export const logCommands: CommandGroup = {
  features: { imports: [MerchantsModule], providers: [AuditLogRepository] },
  define(log) {
    log
      .description('List the actions of operators, newest first.')
      .option('--since <moment>', 'actions at or after this time, in ISO 8601', moment)
      .option('--until <moment>', 'actions before this time, in ISO 8601', moment)
      .option('--operator <name>', 'actions of this operator: a name, or an e-mail address of the console')
      .option('--source <where>', `actions done at: ${SOURCES.join(', ')}`, oneOf(SOURCES))
      .option('--merchant <id>', 'actions that concern this merchant id', id)
      .option('--order <number>', 'actions that concern this order')
      .option('--action <name>', `actions of this kind: ${AUDITED_ACTIONS.join(', ')}`, oneOf(AUDITED_ACTIONS))
      .option('--limit <n>', 'maximum number of entries', integer(1, MAX_LIMIT), DEFAULT_LIMIT)
      .examples(
        'log --since 2026-01-15T08:00:00+07:00',
        'log --merchant 1 --action wallet.debit --json',
        'log --operator nok@example.com --source console',
      )
      .does(async (app, { merchant, order, source, action, ...filter }: LogGiven) => {
        assertPeriod(['--since', filter.since], ['--until', filter.until]);
        if (merchant !== undefined) await app.get(MerchantsService).get(merchant);
        const entries = await app.get(AuditLogRepository).list({
          ...filter,
          sources: only(source),
          actions: only(action),
          merchantIds: only(merchant),
          orderNumber: order,
        });
        const { text } = limitedList(entries.map(toLine), 'There are no such actions.', filter.limit);
        return { json: entries, text };
      });
  },
};

const toLine = ({ created_at, operator, source, action, detail, ...entry }: LogEntry): Record<string, unknown> => ({
  at: created_at,
  operator,
  source,
  action,
  merchant: entry.merchant_id,
  order: entry.order_number,
  reference: entry.reference,
  reason: entry.reason,
  detail: inWords(detail),
});

/** Writes members as `name value`. To fit a line, shows lists of up to three texts in full, and others by length. */
function inWords(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '' && value !== false)
    .map(([name, value]) => (value === true ? name : `${name} ${valueInWords(value)}`))
    .join(', ');
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') && value.length <= 3 ? value.join(' ') : `(${value.length})`;
  if (typeof value === 'object' && value !== null) return `(${inWords(value as Record<string, unknown>)})`;
  return String(value);
}
