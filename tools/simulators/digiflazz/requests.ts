import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBody } from '../common/http.js';
import type { Call } from './rules.js';
import { count, flag, isObject, type Json, type Shape } from './shapes.js';

const LARGEST_BODY_BYTES = 64 * 1024;

/** A request to the vendor as it was received. */
export interface VendorCall {
  /** Null for a path that the vendor does not have. */
  readonly call: Call | null;
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string;
  readonly body: string;
  /** Null when the body is not a JSON object. */
  readonly fields: Json | null;
  /** Why the vendor can't read it (rc 40). */
  readonly problem: string | null;
  readonly unknownFields: readonly string[];
}

interface Field {
  readonly shape: Shape;
  readonly required: boolean;
}

const given: Shape = { expected: 'a string', fits: (value) => typeof value === 'string' && value !== '' };
const address: Shape = {
  expected: 'a URL',
  fits: (value) => typeof value === 'string' && URL.canParse(value),
};
const required = (shape: Shape): Field => ({ shape, required: true });
const optional = (shape: Shape): Field => ({ shape, required: false });
const exactly = (word: string): Shape => ({ expected: `"${word}"`, fits: (value) => value === word });

const CREDENTIALS = { username: required(given), sign: required(given) };

const FIELDS: Readonly<Record<Call, Readonly<Record<string, Field>>>> = {
  transaction: {
    ...CREDENTIALS,
    buyer_sku_code: required(given),
    customer_no: required(given),
    ref_id: required(given),
    testing: optional(flag),
    max_price: optional(count),
    cb_url: optional(address),
    allow_dot: optional(flag),
  },
  'cek-saldo': { ...CREDENTIALS, cmd: required(exactly('deposit')) },
  'price-list': {
    ...CREDENTIALS,
    cmd: required(exactly('prepaid')),
    code: optional(given),
    category: optional(given),
    brand: optional(given),
    type: optional(given),
  },
  // I: only the address and the signature of a ticket are known to us, the fields are what clients send.
  deposit: { ...CREDENTIALS, amount: required(count), Bank: optional(given), owner_name: optional(given) },
};

/** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
export async function receive(request: IncomingMessage, path: string): Promise<VendorCall> {
  const bytes = await readBody(request, LARGEST_BODY_BYTES);
  const name = path.startsWith('/v1/') ? path.slice('/v1/'.length) : '';
  const call = Object.hasOwn(FIELDS, name) ? (name as Call) : null;
  const body = bytes?.toString('utf8') ?? '';
  const fields = bytes !== null && isUtf8(bytes) ? parsed(body) : null;
  const known = call === null ? {} : FIELDS[call];
  const type = request.headers['content-type'] ?? '';
  return {
    call,
    method: request.method ?? '',
    path,
    remoteAddress: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    body,
    fields,
    problem: /^application\/json\s*(;|$)/i.test(type)
      ? problemOf(fields, known)
      : `the content type is "${type}" and not application/json`,
    unknownFields: Object.keys(fields ?? {}).filter((field) => !Object.hasOwn(known, field)),
  };
}

/** A member that is a string, else null. */
export function textOf(fields: Json | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === 'string' ? value : null;
}

function parsed(body: string): Json | null {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function problemOf(fields: Json | null, known: Readonly<Record<string, Field>>): string | null {
  if (fields === null) return 'the body is not a JSON object';
  for (const [name, field] of Object.entries(known)) {
    const value = fields[name];
    if (value === undefined && field.required) return `${name} is missing`;
    if (value !== undefined && !field.shape.fits(value)) return `${name} is not ${field.shape.expected}`;
  }
  return null;
}
