import type { ErrorBody, ErrorCode, ErrorDetail } from './types.js';

/** The base of all errors of this package, except misuse (TypeError) and the reason of your own signal. */
export class TopupError extends Error {
  override readonly name: string = 'TopupError';
}

/** The service refused the request. Decide by `status` and `code`; the wording of `message` may change. */
export class ApiError extends TopupError {
  override readonly name = 'ApiError';
  /** One entry per problem; empty if the code is enough. */
  readonly details: readonly ErrorDetail[];

  constructor(
    readonly status: number,
    /** `UNKNOWN` if the answer was not the service's, but a proxy's for example. */
    readonly code: ErrorCode | 'UNKNOWN',
    message: string,
    /** `X-Request-Id` of the answer, for questions to the operator. */
    readonly requestId: string,
    details: readonly ErrorDetail[] = [],
  ) {
    super(message);
    this.details = details;
  }

  /** Whether the wallet has too little for the order: top it up before you send the order again. */
  get isInsufficientBalance(): boolean {
    return this.has('INSUFFICIENT_BALANCE');
  }

  /** Whether one of the problems has this code, such as `PRICE_CHANGED`. */
  has(code: ErrorDetail['code']): boolean {
    return this.details.some((detail) => detail.code === code);
  }
}

/**
 * No answer could be read: the connection failed or took too long. The request may have had its effect. `cause` has the reason.
 */
export class ConnectionError extends TopupError {
  override readonly name = 'ConnectionError';

  constructor(
    message: string,
    /** The `X-Request-Id` of the request. */
    readonly requestId: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reads a refusal. @param text its body, which may come from a proxy. */
export function toApiError(status: number, text: string, requestId: string): ApiError {
  const body = readErrorBody(text);
  if (body) return new ApiError(status, body.code, body.message, requestId, body.details);
  return new ApiError(status, 'UNKNOWN', `The answer is no answer of the API (status ${status})`, requestId);
}

function readErrorBody(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    const isOurs = typeof body?.code === 'string' && typeof body.message === 'string';
    return isOurs ? (body as ErrorBody) : null;
  } catch {
    return null;
  }
}
