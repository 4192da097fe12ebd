import { AppError, ChangedMeanwhile, UnknownResource, type Resource } from '../core/errors.js';
import { ConfigError } from '../core/config-error.js';
import { isConnectionLost } from '../core/postgres-errors.js';
import { AmbiguousReference, NothingCancelled } from '../support/order-problems.js';
import { leftInWords } from './left-units.js';
import { messageOf } from './local-stack/errors.js';

/** A command that cannot be carried out; the message says what is wrong and what to do. */
export class CommandError extends Error {}

/** What an operator reads when a command failed. */
export function problemInWords(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  const cause = error instanceof AppError ? error.cause : error;
  if (isConnectionLost(cause)) {
    return `PostgreSQL went away (${reasonOf(cause)}): see what the command did before you give it again`;
  }
  if (error instanceof ConfigError) return `${error.message}\nSee .env.example for what each variable means.`;
  if (error instanceof ChangedMeanwhile) return `${error.message}: give the command again`;
  if (error instanceof AmbiguousReference) {
    const candidates = error.candidates.map(
      ({ order_number, merchant_id }) => `\n  ${order_number} of merchant ${merchant_id}`,
    );
    return `${error.message}: add --merchant, or give a number${candidates.join('')}`;
  }
  if (error instanceof NothingCancelled) {
    return [`${error.message}:`, ...error.left.map(leftInWords)].join('\n  ');
  }
  const unknown = error instanceof UnknownResource ? error : error instanceof AppError ? error.cause : null;
  return unknown instanceof UnknownResource
    ? `${reasonOf(error)}: ${WHERE_TO_LOOK[unknown.resource]}`
    : reasonOf(error);
}

const WHERE_TO_LOOK: Record<Resource, string> = {
  merchant: 'topup merchant list shows them',
  'API key': 'topup api-key list --merchant ID shows them',
  supplier: 'topup supplier list shows them',
  product: 'topup product list shows them',
  offer: 'topup offer list shows them',
  reversal: 'topup reversal list shows them',
  operator: 'topup operator list shows them',
};

/** The words of whatever was thrown; several attempts to connect come as one error that has none of its own. */
export function reasonOf(error: unknown): string {
  const { errors } = (error ?? {}) as { errors?: unknown[] };
  return messageOf(error) || (errors ?? []).map(reasonOf).join(', ');
}
