import type { ErrorBody, ErrorCode, ErrorDetail } from './types.js';

/** Whatever this package throws, but for misuse (TypeError) and the reason of a signal of yours. */
export class TopupError extends Error {
  override readonly name: string = 'TopupError';
}

/** The service answered, and refused. Decide by `status` and `code`; the wording of `message` may change. */
export class ApiError extends TopupError {
  override readonly name = 'ApiError';
  /** One entry per problem; empty where the code says it all. */
  readonly details: readonly ErrorDetail[];

  constructor(
    readonly status: number,
    /** `UNKNOWN` where something on the way answered, such as a proxy. */
    readonly code: ErrorCode | 'UNKNOWN',
    message: string,
    /** `X-Request-Id` of the answer: name it when you ask the operator. */
    readonly requestId: string,
    details: readonly ErrorDetail[] = [],
  ) {
    super(message);
    this.details = details;
  }

  /** Whether one of the problems has this code, such as `INSUFFICIENT_BALANCE`. */
  has(code: ErrorDetail['code']): boolean {
    return this.details.some((detail) => detail.code === code);
  }
}

/**
 * No answer could be read: the connection failed, or took too long. What was asked for may have happened. `cause` says more.
 */
export class ConnectionError extends TopupError {
  override readonly name = 'ConnectionError';

  constructor(
    message: string,
    /** What the service was told as `X-Request-Id`. */
    readonly requestId: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reads what a refusal says. @param text its body, which need not be ours. */
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
