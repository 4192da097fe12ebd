/** What node-postgres throws, as far as we look at it. */
interface PostgresError {
  code?: string;
  constraint?: string;
  message?: string;
  driverError?: PostgresError;
  errors?: unknown[];
}

const LOST_CONNECTION = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '53300', // too_many_connections
  '25006', // read_only_sql_transaction: a standby took the connection
]); // prettier-ignore

// node-postgres gives these no code.
const LOST_MESSAGE =
  /Connection terminated|connection timeout|timeout exceeded|Query read timeout|Client has encountered/i;

const inner = (error: unknown): PostgresError => {
  const outer = (error ?? {}) as PostgresError;
  return outer.driverError ?? outer;
};

/** Whether an error says that PostgreSQL could not be reached or went away, rather than that it refused something. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message, errors } = inner(error);
  if (code !== undefined && (LOST_CONNECTION.has(code) || code.startsWith('08'))) return true;
  if (errors?.some(isConnectionLost)) return true;
  return code === undefined && error instanceof Error && LOST_MESSAGE.test(message ?? '');
}

/** Whether a statement gave up waiting for a lock that another transaction holds. */
export function isLockTimeout(error: unknown): boolean {
  return inner(error).code === '55P03';
}

/** Whether a statement gave up waiting for a lock, or took too long: the caller may try again later. */
export function isOverloaded(error: unknown): boolean {
  return isLockTimeout(error) || inner(error).code === '57014' || isRetryable(error);
}

/** Whether the same transaction may simply be tried again: a deadlock or a serialization failure. */
export function isRetryable(error: unknown): boolean {
  const { code } = inner(error);
  return code === '40P01' || code === '40001';
}

/** Whether a statement names a table that does not exist. */
export function isTableMissing(error: unknown): boolean {
  return inner(error).code === '42P01';
}

/** Whether a row was refused because there is one like it. @param constraint by which they may not both be. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const { code, constraint: broken } = inner(error);
  return code === '23505' && broken === constraint;
}
