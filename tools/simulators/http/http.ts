import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBody } from '../common/http.js';

const LARGEST_BODY_BYTES = 64 * 1024;

/** Refuses a request with `{ code, message }`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** A 400, which is a definite refusal in the protocol. */
export const badRequest = (message: string): Refusal => new Refusal(400, 'BAD_REQUEST', message);

/**
 * The JSON value in the request's body.
 * @throws Refusal (400) when the body is not JSON in UTF-8 or larger than 64 KiB; the request's own error when
 * the client goes away in the middle.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, LARGEST_BODY_BYTES);
  if (body === null) throw badRequest(`The body is larger than ${LARGEST_BODY_BYTES} bytes.`);
  if (!isUtf8(body)) throw badRequest('The body is not UTF-8.');
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw badRequest('The body is not JSON.');
  }
}
