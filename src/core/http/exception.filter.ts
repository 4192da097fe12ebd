import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LOGGER } from '../core.module.js';
import { AppError, databaseUnavailable, HTTP_STATUS, type ErrorCode } from '../errors.js';
import type { Logger } from '../logger.js';
import { isConnectionLost, isOverloaded } from '../postgres-errors.js';
import { loggablePath } from './secret-path.js';
import { requestIdOf } from './request-id.middleware.js';

/** Our codes for errors that Nest and Express throw, by HTTP status. Any other status becomes `INTERNAL_ERROR`. */
const CODE_OF_STATUS: Partial<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** The member of `response.locals` with the code of the first detail of the error that was answered, for metrics. */
export const DETAIL_CODE = 'detailCode';

/** Answers every error of the API; see {@link answerError}. */
@Catch()
export class AppExceptionFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerError(this.logger, exception, http.getRequest<Request>(), http.getResponse<Response>());
  }
}

/** Writes an error as `{ status, code, message, details? }`. Errors that are not for callers go to the log only. */
export function answerError(logger: Logger, exception: unknown, request: Request, response: Response): void {
  const error = toAppError(exception, request);
  log(logger, exception, error, request);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
  response.locals[DETAIL_CODE] = error.details?.[0]?.code;
  response.status(HTTP_STATUS[error.code]).json(error.toBody());
}

/** Logs errors of the service and of PostgreSQL, but not errors that callers caused, such as a low balance. */
function log(logger: Logger, exception: unknown, error: AppError, request: Request): void {
  const about = { requestId: requestIdOf(request), method: request.method, path: loggablePath(request.path) };
  if (error.code === 'INTERNAL_ERROR') {
    logger.error({ ...about, err: exception }, 'unforeseen error');
  } else if (error.code === 'SERVICE_UNAVAILABLE' && error.retryAfterSeconds !== undefined) {
    logger.warn({ ...about, reason: (error.cause as Error | undefined)?.message }, error.message);
  }
}

/** The error for an unknown route. */
export const noSuchRoute = ({ method, path }: Request): AppError =>
  new AppError('NOT_FOUND', `There is no ${method} ${path}`);

function toAppError(exception: unknown, request: Request): AppError {
  if (exception instanceof AppError) return exception;
  if (isConnectionLost(exception) || isOverloaded(exception))
    return Object.assign(databaseUnavailable(), { cause: exception });
  const status = exception instanceof HttpException ? exception.getStatus() : expressStatus(exception);
  const code = CODE_OF_STATUS[status];
  if (code === 'NOT_FOUND') return noSuchRoute(request);
  if (code) return new AppError(code, 'The request could not be understood');
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side: please try again or contact us');
}

/** Express marks its own errors, such as a broken percent-encoding, with a status. */
function expressStatus(exception: unknown): number {
  const { status } = exception as { status?: unknown };
  return exception instanceof URIError ? 400 : typeof status === 'number' ? status : 500;
}
