import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { raw, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../core/errors.js';
import { expectsContinue } from '../../core/http/unread-body.js';

const MAX_BYTES = 5 * 1024 * 1024;

const isCsv = (request: Request): boolean => request.is('text/csv') !== false && request.is('text/csv') !== null;

/** Skips the body parser for files: a route reads its file only after the guard has admitted the operator. */
export const exceptCsv =
  (paths: ReadonlySet<string>, handle: RequestHandler): RequestHandler =>
  (request, response, next) =>
    isCsv(request) && paths.has(request.baseUrl + request.path) ? next() : void handle(request, response, next);

// Compressed bodies are refused: a small body may unpack to very many lines, and browsers do not compress bodies.
const parse = raw({ limit: MAX_BYTES, type: 'text/csv', inflate: false });

async function read(request: Request, response: Response): Promise<unknown> {
  if (expectsContinue(request)) response.writeContinue();
  const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
  if (error instanceof Error) throw toAppError(error);
  return request.body;
}

function toAppError(error: Error & { status?: number }): Error {
  const { status } = error;
  if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', 'The file is larger than 5 MiB');
  if (status === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The file must be sent as it is, without Content-Encoding');
  if (status === 400) return new AppError('BAD_REQUEST', 'The file could not be read');
  return error;
}

/** Documents that a route takes a file. */
export const TakesCsv = (): MethodDecorator =>
  applyDecorators(ApiConsumes('text/csv'), ApiBody({ schema: { type: 'string' }, description: 'At most 5 MiB' }));

/** A CSV file as the body of a request, at most 5 MiB. @throws UNSUPPORTED_MEDIA_TYPE; PAYLOAD_TOO_LARGE; BAD_REQUEST */
export const CsvBody = createParamDecorator(async (_: unknown, context: ExecutionContext): Promise<Buffer> => {
  const http = context.switchToHttp();
  const request = http.getRequest<Request>();
  if (!isCsv(request)) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The file must be sent with Content-Type: text/csv');
  }
  const file = await read(request, http.getResponse<Response>());
  return Buffer.isBuffer(file) ? file : Buffer.alloc(0);
});
