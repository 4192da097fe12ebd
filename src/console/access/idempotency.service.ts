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
  /** The idempotency key. Without it, the service carries out every request. */
  key: string | undefined;
  /** The request in the form of its log entry. The service refuses a different request under the same key. */
  request: { merchantId?: number; detail: Record<string, unknown> };
  reason?: string;
  /** Carries out the action and records it with this actor, in one transaction. */
  carryOut: (by: ConsoleActor) => Promise<Result>;
  /** Answers a repeated request, and changes nothing. @param entry of the action that was carried out. */
  answerFrom: (entry: AuditLogEntry) => Promise<Result>;
}

/** Carries out each request with a key only once: the audit log stores the key of each action that was carried out. */
@Injectable()
export class IdempotencyService {
  constructor(private readonly log: AuditLogRepository) {}

  /** @throws CONFLICT if the operator used the key for another action or another body. */
  async run<Result>(
    caller: Caller,
    { action, key, request, reason, carryOut, answerFrom }: Action<Result>,
  ): Promise<Result> {
    if (key === undefined) return carryOut(caller.actor(reason));
    const repeated = async (): Promise<Result | null> => {
      const entry = await this.log.findByKey(caller.id, key);
      if (entry && !(entry.action === action && isOf(entry, request)))
        throw new AppError('CONFLICT', 'Idempotency-Key was used for something else');
      return entry && answerFrom(entry);
    };
    const earlier = await repeated();
    if (earlier !== null) return earlier;
    try {
      return await carryOut(caller.actor(reason, key));
    } catch (error) {
      // A concurrent request with the same key wrote its entry first.
      const now = isDuplicate(error, 'uq_operator_actions_idempotency_key') ? await repeated() : null;
      if (now === null) throw error;
      return now;
    }
  }
}

/** Whether an entry records this request. A missing member counts as null. */
function isOf(
  { merchant_id, detail }: AuditLogEntry,
  { merchantId, detail: requested }: Action<never>['request'],
): boolean {
  if (merchantId !== undefined && merchant_id !== merchantId) return false;
  return Object.entries(requested).every(([name, value]) => isDeepStrictEqual(detail[name] ?? null, value ?? null));
}
