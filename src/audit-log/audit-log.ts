import { AppError } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import type { Transaction } from '../database/database.js';
import { RECORD_ACTION } from './audit-log.sql.js';

/** The operator who acts, with the reason if there is one. */
export interface Actor {
  /** 1 to 128 characters. */
  operator: string;
  /** Up to 500 characters. */
  reason?: string;
  /** Absent at the command line. */
  console?: ConsoleRequest;
}

/** The request in the console that causes an action. */
export interface ConsoleRequest {
  operatorId: number;
  ip: string;
  requestId: string;
  /** Chosen by the page: repeated requests with one key act once. */
  idempotencyKey?: string;
}

/** All kinds of actions in the audit log. */
export const AUDITED_ACTIONS = [
  'merchant.create',
  'merchant.suspend',
  'merchant.resume',
  'merchant.set_alert',
  'merchant.set_weight',
  'api_key.issue',
  'api_key.revoke',
  'api_key.rotate',
  'wallet.credit',
  'wallet.debit',
  'approval.request',
  'approval.reject',
  'approval.withdraw',
  'channel.set',
  'channel.remove',
  'channel.sync',
  'deposit.create',
  'statement.import',
  'payment.credit',
  'payment.return',
  'payment.ignore',
  'payment.debit',
  'payment.keep',
  'supplier.set',
  'supplier.remove',
  'supplier.pause',
  'supplier.resume',
  'supplier.sync',
  'supplier.test',
  'product.set',
  'product.import',
  'offer.set',
  'offer.remove',
  'fx.set',
  'price.set',
  'price.clear',
  'price.import',
  'price.adjust',
  'order.cancel',
  'order.inquire',
  'order.resolve',
  'review.claim',
  'review.release',
  'reversal.close',
  'webhook.replay',
  'webhook.retry',
  'webhook.test',
  'month.close',
  'month.archive',
  'month.restore',
  'secrets.rotate',
  'operator.create',
  'operator.set_role',
  'operator.disable',
  'operator.enable',
  'operator.reset',
  'operator.unlock',
  'operator.set_password',
  'operator.set_profile',
  'operator.allow_company',
  'operator.link_company',
  'session.sign_in',
  'session.refused',
  'session.end',
  'second_factor.set',
  'second_factor.remove',
  'order.note',
  'code.reveal',
  'export.run',
  'report.run',
  'audit.run',
  'job.cancel',
] as const;
export type AuditedAction = (typeof AUDITED_ACTIONS)[number];

/** An operator who is signed in to the console. A name at the command line proves no identity. */
export type ConsoleActor = Actor & Required<Pick<Actor, 'console'>>;

export interface AuditRecord {
  action: AuditedAction;
  merchantId?: number;
  orderId?: bigint;
  /** The facts of the action, named as in JSON: amounts are strings in baht. Must never hold a secret. */
  detail: Record<string, unknown>;
}

/**
 * Writes to the audit log, in the transaction that carries the action out. The transaction fails with
 * `uq_operator_actions_idempotency_key` if the operator's request has already been carried out.
 * @param actor absent if no operator acts, as when a worker closes a month. Then this writes nothing.
 * @throws BAD_REQUEST as {@link assertActor}.
 */
export function recordAction(tx: Transaction, actor: Actor | undefined, record: AuditRecord): void {
  if (!actor) return;
  assertActor(actor);
  const { action, merchantId = null, orderId = null } = record;
  const { operator, reason, console: request } = actor;
  const source = request
    ? { source: 'console', ...request, idempotencyKey: request.idempotencyKey ?? null }
    : { source: 'cli', operatorId: null, ip: null, requestId: null, idempotencyKey: null };
  const detail = JSON.stringify(reason === undefined ? record.detail : { ...record.detail, reason });
  tx.write(...RECORD_ACTION.with({ ...source, operator, action, merchantId, orderId, detail }));
}

/** Checks an actor before long work begins. @throws BAD_REQUEST for an operator or a reason that the log can't hold. */
export function assertActor({ operator, reason }: Actor): void {
  const problem = textProblem(operator, 1, 128);
  if (problem) throw new AppError('BAD_REQUEST', `the operator ${problem}`);
  const reasonProblem = reason === undefined ? null : textProblem(reason, 1, 500);
  if (reasonProblem) throw new AppError('BAD_REQUEST', `the reason ${reasonProblem}`);
}
