import { stdSerializers } from 'pino';

/**
 * The members of an error that are logged. No other members are logged, because errors of the database contain rows, statements
 * and values. These can include players, hashes and sealed secrets.
 */
const LOGGED = [
  'type',
  'message',
  'stack',
  'code',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'errno',
  'syscall',
  'address',
  'port',
  'status',
];

interface ErrorLike {
  errors?: unknown;
  [member: string]: unknown;
}

/** An error for the log, with its causes in message and stack. */
export function loggedError(error: unknown): unknown {
  const read = stdSerializers.err(error as Error) as unknown as ErrorLike;
  if (read === error) return error;
  const { errors } = error as ErrorLike;
  return {
    ...Object.fromEntries(LOGGED.filter((name) => read[name] !== undefined).map((name) => [name, read[name]])),
    ...(Array.isArray(errors) ? { aggregateErrors: errors.map(loggedError) } : {}),
  };
}
