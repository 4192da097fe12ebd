import { textProblem } from '../core/text.js';
import { AppError } from '../core/errors.js';

/** Who gives an operator's command, and why, where that was said. */
export interface By {
  /** 1 to 128 characters. */
  operator: string;
  /** Up to 500 characters. */
  reason?: string;
}

/** What the operator's log tells apart. */
export const OPERATOR_ACTIONS = [
  'merchant.create',
  'merchant.suspend',
  'merchant.resume',
  'merchant.set_alert',
  'api_key.issue',
  'api_key.revoke',
  'api_key.rotate',
  'wallet.credit',
  'wallet.debit',
  'supplier.set',
  'product.set',
  'product.import',
  'price.set',
  'price.clear',
  'price.import',
  'price.adjust',
  'order.cancel',
  'order.resolve',
  'reversal.close',
  'webhook.replay',
  'secrets.rotate',
] as const;
export type OperatorActionName = (typeof OPERATOR_ACTIONS)[number];

export interface OperatorAction {
  action: OperatorActionName;
  merchantId?: number;
  orderId?: bigint;
  /** What was done, in words of the wire: amounts are strings in baht, names have underscores. Never a secret. */
  detail: Record<string, unknown>;
}

const TEXT = `
  INSERT INTO operator_actions (operator, action, merchant_id, order_id, detail, created_at)
  VALUES ($1, $2, $3, $4, $5::jsonb, date_trunc('milliseconds', statement_timestamp()))`;

/** The same for {@link recordAction} in a transaction of `Database`. */
export const RECORD_ACTION = { name: 'operator_actions.record', text: TEXT };

/** The values of {@link RECORD_ACTION}. @throws BAD_REQUEST for an operator or a reason that can't be kept. */
export function actionValues(by: By, { action, merchantId, orderId, detail }: OperatorAction): unknown[] {
  const problem = textProblem(by.operator, 1, 128);
  if (problem) throw new AppError('BAD_REQUEST', `the operator ${problem}`);
  const reasonProblem = by.reason === undefined ? null : textProblem(by.reason, 1, 500);
  if (reasonProblem) throw new AppError('BAD_REQUEST', `the reason ${reasonProblem}`);
  const kept = by.reason === undefined ? detail : { ...detail, reason: by.reason };
  return [by.operator, action, merchantId ?? null, orderId ?? null, JSON.stringify(kept)];
}

/** What TypeORM's transactions have in common. */
interface SqlRunner {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/**
 * Keeps an operator's action, in the transaction that carries it out.
 * @param by absent where no operator acts: a start that seeds, or a test.
 */
export async function recordAction(
  manager: SqlRunner,
  by: By | undefined,
  action: OperatorAction,
): Promise<void> {
  if (by) await manager.query(TEXT, actionValues(by, action));
}
