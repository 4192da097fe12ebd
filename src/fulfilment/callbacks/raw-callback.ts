import type { Request, Response } from 'express';
import { readRawBody } from '../../core/http/raw-body.js';
import type { RawCallback } from '../../suppliers/supplier-adapter.js';

/** Contract, section 8. A callback has a few hundred bytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** Takes a callback as it came in. @throws PAYLOAD_TOO_LARGE; BAD_REQUEST for a body that breaks off. */
export async function readCallback(
  request: Request,
  response: Response,
  method: RawCallback['method'],
): Promise<RawCallback> {
  // As everywhere, the body of a GET is ignored.
  const body = method === 'GET' ? Buffer.alloc(0) : await readRawBody(request, response, MAX_BODY_BYTES);
  const receivedAt = new Date();
  return { method, headers: joined(request.headersDistinct), query: joined(request.query), body, receivedAt };
}

/** By name; values of the same name joined by commas. */
function joined(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}
