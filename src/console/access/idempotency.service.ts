import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { AuditLogEntry } from '../../audit-log/audit-log-entry.entity.js';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import type { ConsoleActor, AuditedAction } from '../../audit-log/audit-log.js';
import { AppError } from '../../core/errors.js';
import { isDuplicate } from '../../core/postgres-errors.js';
import type { Caller } from './caller.js';

interface Action<Result> {
  action: AuditedAction;
  /** What the page calls the request; without it, each request is another. */
  key: string | undefined;
  /** What is asked for, as the entry in the log will have it: under the same key nothing else is done, or answered. */
  asked: { merchantId?: number; detail: Record<string, unknown> };
  reason?: string;
  /** Does it, and writes it to the log by this actor, in one transaction. */
  carryOut: (by: ConsoleActor) => Promise<Result>;
  /** Answers the same request when it comes again. @param entry of what was done. */
  repeat: (entry: AuditLogEntry) => Promise<Result>;
}

/** Does what operators ask for once, however often the same request comes: the log knows what was done. */
@Injectable()
export class IdempotencyService {
  constructor(private readonly log: AuditLogRepository) {}

  /** @throws CONFLICT where the operator's page has called something else so: another action, or one with another body. */
  async run<Result>(caller: Caller, { action, key, asked, reason, carryOut, repeat }: Action<Result>): Promise<Result> {
    if (key === undefined) return carryOut(caller.actor(reason));
    const repeated = async (): Promise<Result | null> => {
      const entry = await this.log.findByKey(caller.id, key);
      if (entry && !(entry.action === action && isOf(entry, asked)))
        throw new AppError('CONFLICT', 'Idempotency-Key was used for something else');
      return entry && repeat(entry);
    };
    const earlier = await repeated();
    if (earlier !== null) return earlier;
    try {
      return await carryOut(caller.actor(reason, key));
    } catch (error) {
      // The same request was carried out meanwhile.
      const now = isDuplicate(error, 'uq_operator_actions_idempotency_key') ? await repeated() : null;
      if (now === null) throw error;
      return now;
    }
  }
}

/** Whether an entry is of what is asked for; what it does not have counts as null. */
function isOf({ merchant_id, detail }: AuditLogEntry, { merchantId, detail: asked }: Action<never>['asked']): boolean {
  if (merchantId !== undefined && merchant_id !== merchantId) return false;
  return Object.entries(asked).every(([name, value]) => isDeepStrictEqual(detail[name] ?? null, value ?? null));
}
