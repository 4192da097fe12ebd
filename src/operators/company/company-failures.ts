import * as oidc from 'openid-client';
import { AppError, refusal, type DetailCode } from '../../core/errors.js';
import { storable } from '../../core/text.js';

type Code = Extract<DetailCode, `COMPANY_${string}` | 'SIGN_IN_OVER'>;

const refuse = (code: Code, message: string): AppError =>
  refusal(code === 'COMPANY_UNREACHABLE' ? 'SERVICE_UNAVAILABLE' : 'FORBIDDEN', code, 'company', message);

export const signInOver = (): AppError =>
  refuse(
    'SIGN_IN_OVER',
    'This sign-in was begun in another browser or tab, or too long ago, or was completed before: begin it again',
  );

/** The error that the page shows for a failure of the company’s sign-in, or on the way to it. */
export function toCompanyError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    const description = storable(error.error_description ?? '', 300);
    const reason = storable(error.error, 100) + (description === '' ? '' : ` (${description})`);
    return refuse('COMPANY_REFUSED', `Your company’s sign-in refused you: ${reason}`);
  }
  if (isUnreachable(error))
    return refuse(
      'COMPANY_UNREACHABLE',
      'Your company’s sign-in does not answer: try again in a minute, or sign in with e-mail and password',
    );
  return refuse(
    'COMPANY_ANSWER_INVALID',
    'The answer of your company’s sign-in can’t be accepted: begin again. If this repeats, tell an administrator',
  );
}

/** If the company’s sign-in is down, a proxy in front of it answers with an error page, which breaks the standard. */
const UNREACHABLE_CODES = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

function isUnreachable(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500;
  if (error instanceof oidc.ClientError && UNREACHABLE_CODES.has(error.code ?? '')) return true;
  return networkErrorOf(error) !== null;
}

interface Thrown {
  name?: unknown;
  message?: unknown;
  cause?: unknown;
}

/** The library wraps an error twice at most. */
const MAX_DEPTH = 3;

/** The error of fetch for a missing or broken-off answer, found below the library's wrappers. */
function networkErrorOf(error: unknown): Thrown | null {
  let each = error as Thrown | null | undefined;
  for (let depth = 0; each && depth < MAX_DEPTH; depth++) {
    if (each.message === 'fetch failed' || each.message === 'terminated' || each.name === 'TimeoutError') return each;
    each = each.cause as typeof each;
  }
  return null;
}

/** The parts of an error that may go to the log. Other parts may hold tokens and claims. */
export function describeFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { failure: 'unknown' };
  const { name, message } = error;
  const code = 'code' in error ? error.code : undefined;
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError) {
    const reported = {
      error: storable(error.error, 100),
      error_description: storable(error.error_description ?? '', 300),
    };
    return { failure: name, message, code, ...reported };
  }
  // For example ECONNREFUSED, or an untrusted certificate.
  const cause = networkErrorOf(error)?.cause as { message?: unknown } | undefined;
  const network = cause ? { network: storable(String(cause.message), 300) } : {};
  return { failure: name, message, code, ...network };
}
