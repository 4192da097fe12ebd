import { AppError } from '../../core/errors.js';
import { ConfigError } from '../../core/config.js';
import { isConnectionLost } from '../../core/postgres-errors.js';
import { LocalError } from '../../local/errors.js';

/** A command that cannot be carried out; the message says what is wrong and what to do. */
export class CommandError extends Error {}

/** What an operator reads when a command failed. */
export function problemInWords(error: unknown): string {
  if (error instanceof ConfigError) return `${error.message}\nSee .env.example for what each variable means.`;
  if (error instanceof AppError && isConnectionLost(error.cause)) return connectionWasLost(error.cause);
  if (error instanceof AppError || error instanceof LocalError || error instanceof CommandError) {
    return error.message;
  }
  if (isConnectionLost(error)) return connectionWasLost(error);
  return `unexpected: ${reasonOf(error)}`;
}

const connectionWasLost = (error: unknown): string =>
  `PostgreSQL went away (${reasonOf(error)}): look at what changed before you try again`;

/** The words of whatever was thrown; several attempts to connect come as one error that has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
