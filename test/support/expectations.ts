import { expect } from '@jest/globals';
import type { Answer, ErrorBody } from './http.js';

/** Decimal with two fraction digits (specification, section 2.1). */
export const AMOUNT = /^\d+\.\d{2}$/;
/** ISO 8601 in UTC with milliseconds (specification, section 2.1). */
export const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Contract, section 2. */
export const ORDER_NUMBER = /^ord_[0-9A-Za-z]{16}$/;

/** Texts that must never be in an answer: a stack, SQL, a driver's text, the name of a class, a path of ours. */
const LEAKS =
  /\bat .+:\d+:\d+|node_modules|\.ts\b|\bSELECT\b|\bINSERT\b|relation "|QueryFailed|TypeError|Exception|pg_|ECONN/;

/** Expects an error answer with exactly its members (contract, section 1), and nothing internal. */
export function expectError(
  answer: Answer<unknown>,
  status: number,
  code: string,
  message?: string | RegExp,
): ErrorBody {
  const body = answer.body as ErrorBody;
  expect({ status: answer.status, code: body.code, message: body.message }).toEqual({
    status,
    code,
    message: message === undefined ? expect.stringMatching(/\S/) : matching(message),
  });
  expect(body.status).toBe(status);
  const members = Object.keys(body).filter((member) => member !== 'details');
  expect(members.sort()).toEqual(['code', 'message', 'status']);
  if ('details' in body) expectDetails(body);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  expect(JSON.stringify(body)).not.toMatch(LEAKS);
  return body;
}

/** Expects a 400 whose details name this field, maybe among others, and whose message names the first field. */
export function expectRefusedField(answer: Answer<unknown>, field: string, code?: string): void {
  const { message, details = [] } = expectError(answer, 400, 'BAD_REQUEST');
  expect(details.map((detail) => detail.field)).toContain(field);
  expect(message).toBe(details[0]?.message);
  if (code !== undefined) expect(details.find((detail) => detail.field === field)?.code).toBe(code);
}

/** Expects a new order. A service that was busy before may have placed it all the same: then the answer is a replay. */
export function expectPlaced({ status, headers, isRepeated }: Answer<unknown>): void {
  expect(status).toBe(200);
  if (!isRepeated) expect(headers.get('idempotent-replayed')).toBeNull();
}

/** Expects a time since then, of a clock with this resolution. @param unitMs the smallest step of the clock. */
export function expectSince(beforeMs: number, atMs: number, unitMs = 1): void {
  expect(atMs).toBeGreaterThan(beforeMs - unitMs);
  expect(atMs).toBeLessThan(Date.now() + unitMs);
}

function expectDetails({ details = [] }: ErrorBody): void {
  expect(details.length).toBeGreaterThan(0);
  for (const detail of details) {
    expect(Object.keys(detail).sort()).toEqual(['code', 'field', 'message']);
    expect(typeof detail.field).toBe('string');
    expect(detail.code).toMatch(/^[A-Z_]+$/);
    expect(detail.message).toMatch(/\S/);
  }
}

const matching = (message: string | RegExp): unknown =>
  typeof message === 'string' ? message : expect.stringMatching(message);
