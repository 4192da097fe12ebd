/** All error codes on the wire, each with its HTTP status. */
export const HTTP_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  REQUEST_TIMEOUT: 408,
  DUPLICATE_REFERENCE: 409,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof HTTP_STATUS;

/** All codes of a request's problems, each with its meaning. */
export const DETAIL_CODES = {
  REQUIRED: 'it must be there',
  INVALID_TYPE: 'it must be of another type, such as a number rather than text',
  INVALID_VALUE: 'its type is right, its value is not allowed',
  OUT_OF_RANGE: 'a number is too small or too large, or a list too short or too long',
  UNKNOWN_MEMBER: 'this request has no such member: look for a typing mistake',
  INVALID_SKU: 'there is no product with this SKU on sale',
  INVALID_PLAYER: 'the player’s ids have the wrong format for this game',
  PRODUCT_UNAVAILABLE: 'no supplier can sell the product at the moment: try again later',
  PRICE_CHANGED: 'the order costs more than its `max_total_amount`: look at the prices again',
  INSUFFICIENT_BALANCE: 'the order costs more than the wallet has available',
  TOO_MANY_OPEN:
    'so many deposits are `pending`, or so many amounts are reserved for yours, that no more are made: the message says what to do',
  NO_CHANNEL: 'no active channel takes a deposit of this amount: nothing was created',
  NO_FREE_AMOUNT:
    'every sum near this amount is reserved for another deposit: nothing was created, take another amount',
  CHANNEL_UNAVAILABLE: 'the deposit was made, but has no QR code yet: the same request again finishes it',
  INVALID_SLIP: 'it is not the text of the QR code on a bank’s slip',
  SLIPS_NOT_TAKEN: 'the channel of the deposit takes no slips: the payment is credited when the bank reports it',
} as const;

/** Further codes, which only the operators' console uses in its answers. */
export const CONSOLE_DETAIL_CODES = {
  CODE_REQUIRED: 'the code of the second factor is required too',
  SECOND_FACTOR_REQUIRED: 'an operator of this role must have a second factor: set one up',
  PERMISSION_REQUIRED: '`field` is the permission that is missing',
  CONFIRMATION_REQUIRED: 'this requires a code or password given shortly before: confirm, and send the request again',
  SIGN_IN_OVER:
    'the sign-in was begun in another browser or tab, or too long ago, or was completed before: begin it again',
  COMPANY_REFUSED: 'the company’s sign-in refused the person; the message has its reason',
  COMPANY_UNREACHABLE: 'the company’s sign-in does not answer: try again later, or sign in with a password',
  COMPANY_ANSWER_INVALID:
    'the answer of the company’s sign-in cannot be trusted, or the company’s sign-in does not know this console',
  NO_ROLE: 'the company’s sign-in gives this person no role here',
  ACCOUNT_DISABLED: 'the account is disabled',
  EMAIL_NOT_VERIFIED: 'the company’s sign-in does not say that the person’s address is verified',
  ACCOUNT_NOT_LINKED:
    'an account with that address is not linked to this company account: an administrator has to allow company sign-in for it',
  LAST_ADMINISTRATOR: 'the company’s sign-in gives the last administrator another role',
  APPROVAL_REQUIRED: 'a second person has to approve this: request it with `POST /api/approvals`',
  OWN_REQUEST: 'operators cannot approve their own requests: another operator has to',
  CHANGED_MEANWHILE: 'what was shown has changed, and nothing was done: look again',
  UNITS_LEFT_BEHIND:
    'units are open at the former address or account: allow leaving them behind, and send the request again',
} as const;

export type DetailCode = keyof typeof DETAIL_CODES | keyof typeof CONSOLE_DETAIL_CODES;

/** One problem of a request. `field` is a path such as `items[0].quantity`. */
export interface ErrorDetail {
  field: string;
  code: DetailCode;
  message: string;
}

/** The body of every error answer (specification, section 7; `details`: contract, section 1). */
export interface ErrorBody {
  status: number;
  code: ErrorCode;
  message: string;
  details?: ErrorDetail[];
}

interface ErrorOptions {
  details?: ErrorDetail[];
  /** Seconds a caller should wait before it tries again. */
  retryAfterSeconds?: number;
}

/** An error for the caller, who gets its message unchanged. */
export class AppError extends Error {
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message);
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The body of the answer that reports this error. */
  toBody(): ErrorBody {
    return errorBody(this.code, this.message, this.details);
  }
}

/** Things that callers look up by number or code. */
export type Resource =
  | 'merchant'
  | 'API key'
  | 'supplier'
  | 'product'
  | 'offer'
  | 'reversal'
  | 'operator'
  | 'channel'
  | 'deposit'
  | 'payment';

/** NOT_FOUND for a thing that does not exist. */
export class UnknownResource extends AppError {
  constructor(
    readonly resource: Resource,
    id: number | string,
  ) {
    super('NOT_FOUND', `there is no ${resource} ${id}`);
  }
}

/** CONFLICT: the state has changed since the caller saw it, and nothing was done. */
export class ChangedMeanwhile extends AppError {
  /** @param field the request's member with the expected state, if any. */
  constructor(message: string, field?: string) {
    const details = field === undefined ? [] : [{ field, code: 'CHANGED_MEANWHILE' as const, message }];
    super('CONFLICT', message, { details });
  }
}

export function errorBody(code: ErrorCode, message: string, details?: ErrorDetail[]): ErrorBody {
  return { status: HTTP_STATUS[code], code, message, ...(details?.length ? { details } : {}) };
}

/** A request whose members break rules. `message` names the first problem. */
export function invalidRequest(details: [ErrorDetail, ...ErrorDetail[]]): AppError {
  return new AppError('BAD_REQUEST', details[0].message, { details });
}

/** A request with one member whose value is not allowed. */
export const invalidValue = (field: string, message: string): AppError =>
  invalidRequest([{ field, code: 'INVALID_VALUE', message }]);

/** Refuses an operator's input. @throws BAD_REQUEST */
export const refuse = (words: string): never => {
  throw new AppError('BAD_REQUEST', words);
};

/** An error with exactly one detail. */
export const refusal = (
  code: ErrorCode,
  detail: DetailCode,
  field: string,
  message: string,
  retryAfterSeconds?: number,
): AppError =>
  new AppError(code, message, {
    details: [{ field, code: detail, message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

export const notFound = (what: string): AppError => new AppError('NOT_FOUND', `The ${what} was not found`);

/** PostgreSQL did not answer: the caller may try again. */
export function databaseUnavailable(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable, please try again', {
    retryAfterSeconds: 1,
  });
}
