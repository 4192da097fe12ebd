import { stdSerializers } from 'pino';

/**
 * Members of an error that may be logged. All others stay out, because errors of the database carry rows, statements and their
 * values. These can have players, hashes and sealed secrets.
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
