import { stdSerializers } from 'pino';

/**
 * What a log may have of an error. Everything else stays out: errors of the database carry the row, the statement and what
 * it was asked with, and so players, hashes and sealed secrets.
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

/** An error as the log has it, with the causes in its message and its stack. */
export function loggedError(error: unknown): unknown {
  const read = stdSerializers.err(error as Error) as unknown as ErrorLike;
  if (read === error) return error;
  const { errors } = error as ErrorLike;
  return {
    ...Object.fromEntries(LOGGED.filter((name) => read[name] !== undefined).map((name) => [name, read[name]])),
    ...(Array.isArray(errors) ? { aggregateErrors: errors.map(loggedError) } : {}),
  };
}
