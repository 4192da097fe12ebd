/** What node-postgres throws, as far as we look at it. */
interface PostgresError {
  code?: string;
  constraint?: string;
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

// node-postgres gives these no code.
const LOST_MESSAGE =
  /Connection terminated|connection timeout|timeout exceeded|Query read timeout|Client has encountered/i;

const inner = (error: unknown): PostgresError => {
  const outer = (error ?? {}) as PostgresError;
  return outer.driverError ?? outer;
};

/** How OpenSSL and Node name a certificate that they do not accept, with what is wrong and what to do. */
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
      'it comes from another authority than expected: name the file of its authority as sslrootcert in the URL',
    ]),
  ),
  CERT_HAS_EXPIRED: 'it has expired: renew it on the server',
  CERT_NOT_YET_VALID: 'it is not valid yet: see to the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host: name in the URL a host that the certificate names',
};

/** What an error says of the server's certificate, and what to do; null where it is about something else. */
export function certificateProblem(error: unknown): string | null {
  const { code = '', message = '' } = inner(error);
  const problem = CERTIFICATE_PROBLEMS[code];
  return problem === undefined ? null : `PostgreSQL’s certificate is refused (${message}): ${problem}`;
}

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

/** Whether PostgreSQL ended a statement that took longer than it may. */
export function isTimeLimit(error: unknown): boolean {
  return inner(error).code === '57014';
}

/** Whether PostgreSQL had no room for a statement, such as on its disk or in its memory. */
export function isOutOfRoom(error: unknown): boolean {
  return inner(error).code?.startsWith('53') ?? false;
}

/** Whether a statement gave up waiting for a lock, took too long or found no room: the caller may try again later. */
export function isOverloaded(error: unknown): boolean {
  return isLockTimeout(error) || isTimeLimit(error) || isRetryable(error) || isOutOfRoom(error);
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
