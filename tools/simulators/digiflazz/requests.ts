import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readBody } from '../common/http.js';
import type { VendorCall } from '../common/model.js';
import { count, flag, isObject, type Json, type Shape, url } from '../common/shapes.js';

const LARGEST_BODY_BYTES = 64 * 1024;

export type Call = 'transaction' | 'price-list' | 'cek-saldo' | 'deposit';

/** A request to the vendor as it was received. */
export interface DigiflazzCall extends VendorCall {
  readonly call: Call | null;
  /** Null when the body is not a JSON object. */
  readonly fields: Json | null;
  /** Why the vendor can't read it (rc 40). */
  readonly problem: string | null;
}

interface Field {
  readonly shape: Shape;
  readonly required: boolean;
}

const given: Shape = { expected: 'a string', fits: (value) => typeof value === 'string' && value !== '' };
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
    cb_url: optional(url),
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
export async function receive(request: IncomingMessage): Promise<DigiflazzCall> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const bytes = await readBody(request, LARGEST_BODY_BYTES);
  const name = path.startsWith('/v1/') ? path.slice('/v1/'.length) : '';
  const there = Object.hasOwn(FIELDS, name) ? (name as Call) : null;
  const body = bytes?.toString('utf8') ?? '';
  const fields = bytes !== null && isUtf8(bytes) ? parsed(body) : null;
  const known = there === null ? {} : FIELDS[there];
  const type = request.headers['content-type'] ?? '';
  const method = request.method ?? '';
  return {
    call: method === 'POST' ? there : null,
    method,
    path,
    body,
    fields,
    remoteAddress: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    ref_id: textOf(fields, 'ref_id'),
    sku: textOf(fields, 'buyer_sku_code'),
    player: textOf(fields, 'customer_no'),
    problem: /^application\/json\s*(;|$)/i.test(type)
      ? problemOf(fields, known)
      : `the content type is "${type}" and not application/json`,
    unknownFields: Object.keys(fields ?? {}).filter((field) => !Object.hasOwn(known, field)),
    about: {
      max_price: typeof fields?.max_price === 'number' ? fields.max_price : null,
      testing: fields?.testing === true,
    },
  };
}

/** Whether there is such a call at all, by whatever method. */
export const isPathOfCall = (path: string): boolean =>
  path.startsWith('/v1/') && Object.hasOwn(FIELDS, path.slice('/v1/'.length));

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
