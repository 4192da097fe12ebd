import { AppError, ChangedMeanwhile, UnknownResource, type Resource } from '../core/errors.js';
import { ConfigError } from '../core/config-error.js';
import { isConnectionLost } from '../core/postgres-errors.js';
import { AmbiguousReference, NothingCancelled, type UncancelledUnit } from '../support/order-problems.js';
import { messageOf } from './local-stack/errors.js';
import { unitName } from '../orders/order.rows.js';

/** A command that can't be carried out. The message says what is wrong and what to do. */
export class CommandError extends Error {}

/** The message of a failed command. */
export function problemInWords(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  const cause = error instanceof AppError ? error.cause : error;
  if (isConnectionLost(cause)) {
    return `the connection to PostgreSQL was lost (${reasonOf(cause)}): check what the command did before you repeat it`;
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
    return [`${error.message}:`, ...error.uncancelled.map(uncancelledInWords)].join('\n  ');
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
  channel: 'topup channel list shows them',
  deposit: 'topup deposit list shows them',
  payment: 'topup payment list shows them',
};

/** The message of anything thrown. Node reports several attempts to connect as one error without a message. */
export function reasonOf(error: unknown): string {
  const { errors } = (error ?? {}) as { errors?: unknown[] };
  return messageOf(error) || (errors ?? []).map(reasonOf).join(', ');
}

/** One line about why a unit was not cancelled. */
export const uncancelledInWords = (unit: UncancelledUnit): string =>
  `unit ${unitName(unit)} is left as it is: ${whyNot(unit)}`;

function whyNot({ state, failure_code: code, soldBy }: UncancelledUnit): string {
  switch (state) {
    case 'queued':
      if (soldBy !== undefined)
        return `discrepancy ${soldBy} reports that a supplier sold it: it goes to review, settle it there with topup order resolve`;
      return 'it could not be cancelled just now: give the command again';
    case 'sending':
      return 'a call to its supplier is in flight';
    case 'unknown':
      return 'it is in doubt, its supplier may have sold it: settle it with topup order resolve';
    case 'review':
      return 'it is in doubt and waits for topup order resolve';
    case 'succeeded':
      return 'it has succeeded';
    case 'failed':
      return `it has failed already, with ${code ?? 'no code'}`;
  }
}
