import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { json, type NextFunction, type Request, type Response } from 'express';
import { AppError } from '../errors.js';
import { findJsonProblem } from '../exact-json.js';
import { tooLarge } from './raw-body.js';
import { expectsContinue, hasBody } from './unread-body.js';

const MAX_BODY_BYTES = 256 * 1024;
/** The bodies of our routes have three levels. Deeper input would only use up the stack. */
const MAX_DEPTH = 16;

/** The error for bytes that must not be parsed. body-parser keeps the `type` of errors that `verify` throws. */
class UnfitBytes extends Error {
  readonly type = 'bytes.unfit';
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

const parse = json({
  limit: MAX_BODY_BYTES,
  strict: false,
  type: isJson,
  verify: (_request, _response, bytes) => {
    if (!isUtf8(bytes)) throw new UnfitBytes('The request body is not valid UTF-8');
    if (isDeeperThan(bytes, MAX_DEPTH)) throw new UnfitBytes(`The request body nests deeper than ${MAX_DEPTH} levels`);
  },
});

/**
 * Reads a JSON body of at most 256 KiB.
 * @throws (through `next`) BAD_REQUEST, PAYLOAD_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE.
 */
export function jsonBodyMiddleware(request: Request, response: Response, next: NextFunction): void {
  if (!METHODS_WITH_BODY.has(request.method) || !hasBody(request)) return next();
  if (!isJson(request)) {
    const message = 'The request body must be JSON: send it with Content-Type: application/json';
    return next(new AppError('UNSUPPORTED_MEDIA_TYPE', message));
  }
  // JSON is UTF-8, and a `charset` means nothing (RFC 8259, sections 8.1 and 11). With another `charset`, the parser would refuse the body or misread it.
  request.headers['content-type'] = 'application/json';
  if (isTooLarge(request)) return next(tooLarge(MAX_BODY_BYTES));
  if (expectsContinue(request)) response.writeContinue();
  let answered = false;
  const refuseEarly = countBytes(request, () => {
    answered = true;
    next(tooLarge(MAX_BODY_BYTES));
  });
  parse(request, response, (error?: unknown) => {
    request.off('data', refuseEarly);
    if (answered) return;
    next(error === undefined ? undefined : toAppError(error));
  });
}

/** Whether a request announces a body over the limit. */
function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/** Refuses a body of unknown length as soon as it is too large. The parser would first read all of it. */
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

function isJson({ headers }: IncomingMessage): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[\w.!#$&^-]+\+json$/.test(type);
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b];

/** Whether JSON nests deeper than `levels`. Counting brackets before parsing costs half as much as walking the parsed values. */
function isDeeperThan(json: Buffer, levels: number): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === BRACKET || byte === BRACE) {
      if (++depth > levels) return true;
      // In ASCII, the code of a closing bracket is that of the opening bracket plus 2.
    } else if (byte === BRACKET + 2 || byte === BRACE + 2) {
      depth--;
    }
  }
  return false;
}

/** Converts body-parser's errors, which have a `type` (see its README, "Errors"). */
function toAppError(error: unknown): unknown {
  const { type, status, message, body } = error as Error & { type?: string; status?: number; body?: string };
  if (type === 'bytes.unfit') return new AppError('BAD_REQUEST', message);
  if (status === 413) return tooLarge(MAX_BODY_BYTES);
  if (status === 415) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be plain, gzip, deflate or brotli');
  }
  if (type === 'entity.parse.failed') return new AppError('BAD_REQUEST', notJson(body ?? ''));
  if (status === 400) return new AppError('BAD_REQUEST', 'The request body could not be read');
  return error;
}

function notJson(body: string): string {
  const position = findJsonProblem(body);
  if (position === null) return 'The request body is not valid JSON';
  const lines = body.slice(0, position).split('\n');
  return `The request body is not valid JSON: look at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
