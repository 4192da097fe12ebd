import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBody } from './http.js';
import type { VendorCall } from './model.js';
import { isObject, type Json } from './shapes.js';

const MAX_BODY_BYTES = 64 * 1024;

/** A request as it was received, before a vendor reads it. */
export interface Received extends Pick<VendorCall, 'body' | 'method' | 'path' | 'remoteAddress'> {
  /** The part after the question mark. */
  readonly query: string;
  readonly contentType: string;
  readonly headers: IncomingMessage['headers'];
  /** The body if it is a JSON object in UTF-8, else null. */
  readonly json: Json | null;
}

/** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
export async function received(request: IncomingMessage): Promise<Received> {
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const bytes = await readBody(request, MAX_BODY_BYTES);
  const body = bytes?.toString('utf8') ?? '';
  return {
    method: request.method ?? '',
    path,
    query,
    body,
    contentType: request.headers['content-type'] ?? '',
    headers: request.headers,
    remoteAddress: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    json: bytes !== null && isUtf8(bytes) ? jsonObject(body) : null,
  };
}

/** Why `request` is no JSON object, or null. */
export function jsonProblem({ contentType, json }: Received): string | null {
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    return `the content type is "${contentType}" and not application/json`;
  }
  return json === null ? 'the body is not a JSON object' : null;
}

function jsonObject(body: string): Json | null {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
