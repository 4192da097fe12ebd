import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { json, type NextFunction, type Request, type Response } from 'express';
import { AppError } from '../errors.js';

const MAX_BODY_BYTES = 256 * 1024;
// No body of ours nests deeper than a member of an item; what goes over the nested one costs stack in every reader.
const MAX_DEPTH = 16;

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

const parse = json({
  limit: MAX_BODY_BYTES,
  strict: false,
  type: isJson,
  verify: (_request, _response, bytes) => {
    if (!isUtf8(bytes)) throw new Error('not UTF-8');
  },
});

/**
 * Reads a JSON body of at most 256 KiB.
 * @throws (through `next`) BAD_REQUEST, PAYLOAD_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE.
 */
export function readJsonBody(request: Request, response: Response, next: NextFunction): void {
  if (!METHODS_WITH_BODY.has(request.method) || !hasBody(request)) return next();
  if (!isJson(request)) {
    const message = 'The request body must be JSON: send it with Content-Type: application/json';
    return next(new AppError('UNSUPPORTED_MEDIA_TYPE', message));
  }
  if (isTooLarge(request)) return next(tooLarge());
  let answered = false;
  const refuseEarly = countBytes(request, () => {
    answered = true;
    next(tooLarge());
  });
  parse(request, response, (error?: unknown) => {
    request.off('data', refuseEarly);
    if (answered) return;
    if (error !== undefined) return next(toAppError(error));
    if (isDeeperThan(request.body, MAX_DEPTH)) {
      return next(new AppError('BAD_REQUEST', `The request body nests deeper than ${MAX_DEPTH} levels`));
    }
    next();
  });
}

/** Whether a request announces more than may be read. */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB');

/** Tells as soon as a body of unknown length grows too large; the parser would first read it to its end. */
function countBytes(request: Request, exceeded: () => void): (chunk: Buffer) => void {
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) return;
    request.off('data', count);
    exceeded();
  };
  request.on('data', count);
  return count;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isJson({ headers }: IncomingMessage): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[\w.!#$&^-]+\+json$/.test(type);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/** What the body parser throws: an error with a `type` (see body-parser's README, "Errors"). */
function toAppError(error: unknown): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.verify.failed')
    return new AppError('BAD_REQUEST', 'The request body is not valid UTF-8');
  if (status === 413) return tooLarge();
  if (status === 415) {
    return new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The request body must be UTF-8 JSON, plain, gzip, deflate or brotli',
    );
  }
  if (type === 'entity.parse.failed')
    return new AppError('BAD_REQUEST', 'The request body is not valid JSON');
  if (status === 400) return new AppError('BAD_REQUEST', 'The request body could not be read');
  return error;
}
