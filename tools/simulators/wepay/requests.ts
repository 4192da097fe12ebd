import type { IncomingMessage } from 'node:http';
import { formFields, multipartFields, textMembers } from '../common/form.js';
import type { VendorCall } from '../common/model.js';
import { received, type Received } from '../common/requests.js';
import type { Call } from './rules.js';

const API_PATH = '/client_api.json.php';
const EXPORT_PATH = '/comp_export.php';

type Fields = Readonly<Record<string, string>>;

/** A request to the vendor as it was received. */
export interface WepayCall extends VendorCall {
  readonly call: Call | null;
  readonly fields: Fields;
  readonly about: {
    readonly type: string | null;
    readonly company: string | null;
    readonly transaction_id: string | null;
    /** The encoding of the body: form, multipart, json, or none of them. */
    readonly encoding: 'form' | 'multipart' | 'json' | null;
  };
}

const CREDENTIALS = ['username', 'password', 'password_hash', 'type'];
const REFERENCES = [1, 2, 3, 4, 5, 6].map((n) => `pay_to_ref${n}`);
const KNOWN: Readonly<Record<Call, readonly string[]>> = {
  purchase: [
    ...CREDENTIALS,
    'pay_to_company',
    'pay_to_amount',
    ...REFERENCES,
    'pay_to_barcode1',
    'pay_to_barcode2',
    'dest_ref',
    'resp_url',
  ],
  get_output: [...CREDENTIALS, 'transaction_id'],
  balance_inquiry: CREDENTIALS,
  payee_info: [...CREDENTIALS, 'pay_to_company', 'payee_info'],
  comp_export: ['json'],
};

/**
 * Reads all of a request; `referenceOf` names the purchase that a transaction_id belongs to.
 * @throws the request's own error when the client goes away in the middle.
 */
export async function receive(
  request: IncomingMessage,
  referenceOf: (transactionId: string) => string | null,
): Promise<WepayCall> {
  const whole = await received(request);
  const { body, method, path, query, remoteAddress } = whole;
  const { fields, encoding } = method === 'GET' ? { fields: formFields(query), encoding: null } : fieldsOf(whole);
  const call = callOf(method, path, fields);
  const given = (name: string): string | null => fields[name] ?? null;
  const [type, company, amount] = [given('type'), given('pay_to_company'), given('pay_to_amount')];
  const transaction_id = given('transaction_id');
  const about = transaction_id === null ? null : referenceOf(transaction_id);
  return {
    call,
    method,
    path,
    body,
    fields,
    remoteAddress,
    ref_id: given('dest_ref') ?? about,
    sku: company === null ? null : [type, company, ...(amount === null ? [] : [amount])].join(':'),
    player: given('pay_to_ref1'),
    unknownFields: call === null ? [] : Object.keys(fields).filter((name) => !KNOWN[call].includes(name)),
    about: { type, company, transaction_id, encoding },
  };
}

/** Whether there is something at `path`, by any method. */
export const isPath = (path: string): boolean => path === API_PATH || path === EXPORT_PATH;

function callOf(method: string, path: string, fields: Fields): Call | null {
  if (path === EXPORT_PATH) return method === 'GET' && 'json' in fields ? 'comp_export' : null;
  if (path !== API_PATH || method !== 'POST') return null;
  if (fields.type === 'get_output' || fields.type === 'balance_inquiry') return fields.type;
  return fields.payee_info === 'true' ? 'payee_info' : 'purchase';
}

/** C: all three encodings work. I: a body in another encoding has no fields. */
function fieldsOf({ body, contentType: type, json }: Received): {
  fields: Fields;
  encoding: WepayCall['about']['encoding'];
} {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return { fields: formFields(body), encoding: 'form' };
  const multipart = /^multipart\/form-data\b/i.test(type) ? multipartFields(body, type) : null;
  if (multipart) return { fields: multipart, encoding: 'multipart' };
  const isJson = /^application\/json\b/i.test(type) && json !== null;
  return isJson ? { fields: textMembers(json), encoding: 'json' } : { fields: {}, encoding: null };
}
