/** The members of node-postgres' errors that we read. */
interface PostgresError {
  code?: string;
  constraint?: string;
  /** The function of PostgreSQL's code that refused. */
  routine?: string;
  message?: string;
  driverError?: PostgresError;
  errors?: unknown[];
}

const LOST_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '53300', // too_many_connections
  '25006', // read_only_sql_transaction: a standby took the connection
]);

// node-postgres' errors without a code.
const LOST_MESSAGE =
  /Connection terminated|connection timeout|timeout exceeded|Query read timeout|Client has encountered/i;

const inner = (error: unknown): PostgresError => {
  const outer = (error ?? {}) as PostgresError;
  return outer.driverError ?? outer;
};

/** OpenSSL's and Node's codes for refused certificates, with the problem and the advice. */
const CERTIFICATE_PROBLEMS: Partial<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_SIGNATURE_FAILURE',
    ].map((code) => [
      code,
      'it comes from an unexpected authority: name the file of its authority as sslrootcert in the URL',
    ]),
  ),
  CERT_HAS_EXPIRED: 'it has expired: renew it on the server',
  CERT_NOT_YET_VALID: 'it is not valid yet: check the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host: name in the URL a host that the certificate names',
};

/** The problem with the server's certificate, with advice; null for any other error. */
export function certificateProblem(error: unknown): string | null {
  const { code = '', message = '' } = inner(error);
  const problem = CERTIFICATE_PROBLEMS[code];
  return problem === undefined ? null : `PostgreSQL’s certificate is refused (${message}): ${problem}`;
}

/**
 * Whether PostgreSQL could not be reached, the connection was lost or too slow, or the server can't serve this process now,
 * such as a standby. False if PostgreSQL refused only the statement.
 */
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

/** Whether PostgreSQL cancelled a statement at its time limit. */
export function isTimeLimit(error: unknown): boolean {
  return inner(error).code === '57014';
}

/** Whether PostgreSQL ran out of resources, such as disk or memory. */
export function isOutOfRoom(error: unknown): boolean {
  return inner(error).code?.startsWith('53') ?? false;
}

/** Whether a lock, a time limit, a conflict or missing resources ended a statement: the caller may try again later. */
export function isOverloaded(error: unknown): boolean {
  return isLockTimeout(error) || isTimeLimit(error) || isRetryable(error) || isOutOfRoom(error);
}

/** Whether to retry the transaction: after a deadlock, a serialization failure or an outdated plan. */
export function isRetryable(error: unknown): boolean {
  const { code } = inner(error);
  return code === '40P01' || code === '40001' || isPlanOutdated(error);
}

/** Whether the columns of a statement have changed since its connection prepared it, such as by the migrations of a newer version. */
export function isPlanOutdated(error: unknown): boolean {
  const { code, routine } = inner(error);
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** Whether a statement names a table that does not exist. */
export function isTableMissing(error: unknown): boolean {
  return inner(error).code === '42P01';
}

/** Whether a unique constraint refused a row. @param constraint its name. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const { code, constraint: broken } = inner(error);
  return code === '23505' && broken === constraint;
}
