import type { Request, Response } from 'express';
import { readRawBody } from '../core/http/raw-body.js';
import type { RawCallback } from './supplier-adapter.js';

/** The limit of the contract, section 8. A usual callback has a few hundred bytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** @throws PAYLOAD_TOO_LARGE; BAD_REQUEST if the body breaks off. */
export async function readCallback(
  request: Request,
  response: Response,
  method: RawCallback['method'],
): Promise<RawCallback> {
  // The body of a GET is ignored, as on all routes.
  const body = method === 'GET' ? Buffer.alloc(0) : await readRawBody(request, response, MAX_BODY_BYTES);
  const receivedAt = new Date();
  return { method, headers: joined(request.headersDistinct), query: joined(request.query), body, receivedAt };
}

/** Joins the values of each name with commas. */
function joined(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}
