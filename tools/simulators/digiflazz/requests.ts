import type { IncomingMessage } from 'node:http';
import type { VendorCall } from '../common/model.js';
import { jsonProblem, received, type Received } from '../common/requests.js';
import { count, flag, type Json, type Shape, url } from '../common/shapes.js';

export type Call = 'transaction' | 'price-list' | 'cek-saldo' | 'deposit';

/** A request to the vendor as it was received. */
export interface DigiflazzCall extends VendorCall {
  readonly call: Call | null;
  /** Null when the body is not a JSON object. */
  readonly fields: Json | null;
  /** The reason why the vendor can't read it (rc 40). */
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
  // I: only the address and the signature of a ticket are known; the fields are those that clients send.
  deposit: { ...CREDENTIALS, amount: required(count), Bank: optional(given), owner_name: optional(given) },
};

/** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
export async function receive(request: IncomingMessage): Promise<DigiflazzCall> {
  const whole = await received(request);
  const { body, json: fields, method, path, remoteAddress } = whole;
  const name = path.startsWith('/v1/') ? path.slice('/v1/'.length) : '';
  const there = Object.hasOwn(FIELDS, name) ? (name as Call) : null;
  const known = there === null ? {} : FIELDS[there];
  return {
    call: method === 'POST' ? there : null,
    method,
    path,
    body,
    fields,
    remoteAddress,
    ref_id: textOf(fields, 'ref_id'),
    sku: textOf(fields, 'buyer_sku_code'),
    player: textOf(fields, 'customer_no'),
    problem: problemOf(whole, known),
    unknownFields: Object.keys(fields ?? {}).filter((field) => !Object.hasOwn(known, field)),
    about: {
      max_price: typeof fields?.max_price === 'number' ? fields.max_price : null,
      testing: fields?.testing === true,
    },
  };
}

/** Whether there is such a call, by any method. */
export const isPathOfCall = (path: string): boolean =>
  path.startsWith('/v1/') && Object.hasOwn(FIELDS, path.slice('/v1/'.length));

/** A member that is a string, else null. */
export function textOf(fields: Json | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === 'string' ? value : null;
}

function problemOf(whole: Received, known: Readonly<Record<string, Field>>): string | null {
  const problem = jsonProblem(whole);
  if (problem !== null) return problem;
  for (const [name, field] of Object.entries(known)) {
    const value = whole.json?.[name];
    if (value === undefined && field.required) return `${name} is missing`;
    if (value !== undefined && !field.shape.fits(value)) return `${name} is not ${field.shape.expected}`;
  }
  return null;
}
