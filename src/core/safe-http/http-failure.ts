/** Why a call has no answer, in the words of the delivery log (contract, section 4). */
export const HTTP_FAILURES = ['refused_address', 'dns', 'connect', 'tls', 'timeout', 'reset', 'protocol'] as const;
export type HttpFailure = (typeof HTTP_FAILURES)[number];

/** The connection failed, so nothing of the request was sent. */
export class ConnectionFailure extends Error {
  constructor(
    readonly failure: HttpFailure,
    options?: ErrorOptions,
  ) {
    super(`no connection: ${failure}`, options);
  }
}

const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'UND_ERR_DESTROYED']);
const TIMEOUT_CODES = new Set(['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Classifies an error that ended a call before a whole status line and header had arrived. */
export function failureOf(error: unknown): HttpFailure {
  if (error instanceof ConnectionFailure) return error.failure;
  const { name, code = '', message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'timeout';
  // undici closes the connection with this error after an unexpected answer, such as 101.
  if (code === 'UND_ERR_SOCKET' && message.startsWith('bad ')) return 'protocol';
  if (RESET_CODES.has(code)) return 'reset';
  if (TIMEOUT_CODES.has(code)) return 'timeout';
  // TLS 1.3 lets a server refuse a client after the handshake is over on the client's side.
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return 'tls';
  return 'protocol';
}
