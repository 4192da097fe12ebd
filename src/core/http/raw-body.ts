import type { Request, Response } from 'express';
import { AppError } from '../errors.js';
import { expectsContinue, hasBody } from './unread-body.js';

/**
 * Reads the raw bytes of a body of any type and encoding.
 * @throws PAYLOAD_TOO_LARGE as soon as the body is known to be too large; BAD_REQUEST if the body breaks off.
 */
export async function readRawBody(request: Request, response: Response, maxBytes: number): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (expectsContinue(request)) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const read = (chunk: Buffer): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= maxBytes) return;
      // Drops further bytes: the answer must go out before the connection ends.
      request.off('data', read);
      reject(tooLarge(maxBytes));
    };
    request.on('data', read);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(new AppError('BAD_REQUEST', 'The request body could not be read')));
  });
}

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBytes / 1024} KiB`);
