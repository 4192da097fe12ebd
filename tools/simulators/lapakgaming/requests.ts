import type { IncomingMessage } from 'node:http';
import { formFields } from '../common/form.js';
import { jsonProblem, received, type Received } from '../common/requests.js';
import { type Json, orNull, type Shape, text, url } from '../common/shapes.js';
import type { Call, LapakCall } from './model.js';

const BEST_PRODUCT_PATH = /^\/api\/catalogue\/group-products\/([^/]+)\/best-product$/;

const PATHS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['POST /api/order', 'order'],
  ['GET /api/order_status', 'order_status'],
  ['GET /api/category', 'category'],
  ['GET /api/all-products', 'all-products'],
  ['GET /api/product', 'product'],
  ['GET /api/catalogue/group-products', 'group-products'],
  ['GET /api/fx-rate.php', 'fx-rate'],
  ['GET /api/balance', 'balance'],
]);

const quantity: Shape = {
  expected: 'an integer from 1',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};
const amount: Shape = { expected: 'a number', fits: (value) => typeof value === 'number' };

/** D for all but the last, which came with version 1.6. C: clients send null for missing values. */
const ORDER: Readonly<Record<string, Shape>> = {
  user_id: orNull(text),
  additional_id: orNull(text),
  additional_information: orNull(text),
  orderdetail: orNull(text),
  count_order: quantity,
  product_code: orNull(text),
  group_product: orNull(text),
  country_code: orNull(text),
  price: orNull(amount),
  partner_reference_id: orNull(text),
  override_callback_url: orNull(url),
  end_user_ip_address: orNull(text),
};

const QUERIES: Readonly<Record<Exclude<Call, 'order'>, readonly string[]>> = {
  order_status: ['tid', 'partner_reference_id'],
  category: ['country_code'],
  'all-products': ['country_code'],
  product: ['category_code', 'product_code', 'country_code'],
  'group-products': ['category_code', 'group_product_code', 'country_code'],
  'best-product': ['country_code', 'group_product_code'],
  'fx-rate': ['from_currency', 'to_currency'],
  balance: [],
};

/** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
export async function receive(request: IncomingMessage): Promise<LapakCall> {
  const whole = await received(request);
  const { body, headers, json, method, path, query, remoteAddress } = whole;
  const group = BEST_PRODUCT_PATH.exec(path)?.[1];
  const call = callOf(method, path, group !== undefined);
  const isOrder = call === 'order';
  const fields = isOrder ? json : { ...formFields(query), ...(group && { group_product_code: group }) };
  const known = isOrder ? Object.keys(ORDER) : call === null ? [] : QUERIES[call];
  return {
    call,
    method,
    path: request.url ?? '',
    remoteAddress,
    body,
    ref_id: textOf(fields, 'partner_reference_id'),
    sku: textOf(fields, 'product_code') ?? textOf(fields, 'group_product'),
    player: textOf(fields, 'user_id'),
    unknownFields: Object.keys(fields ?? {}).filter((name) => !known.includes(name)),
    about: isOrder ? aboutOrder(fields) : { query: query === '' ? '' : `?${query}` },
    bearer: /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null,
    fields,
    problem: isOrder ? problemOf(whole) : null,
  };
}

/** A member that is a non-empty text, else null. */
export function textOf(fields: Json | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function callOf(method: string, path: string, isBestProduct: boolean): Call | null {
  if (isBestProduct) return method === 'GET' ? 'best-product' : null;
  return PATHS.get(`${method} ${path}`) ?? null;
}

/** Further members of an order for the journal. */
function aboutOrder(fields: Json | null): Json {
  const { price = null, additional_id = null, count_order = null } = fields ?? {};
  return { price, additional_id, count_order, end_user_ip_address: fields?.end_user_ip_address ?? null };
}

function problemOf(whole: Received): string | null {
  const fields = whole.json;
  const problem = jsonProblem(whole);
  if (problem !== null || fields === null) return problem;
  for (const [name, shape] of Object.entries(ORDER)) {
    const value = fields[name];
    if (value !== undefined && !shape.fits(value)) return `${name} is not ${shape.expected}`;
  }
  if (fields.count_order === undefined) return 'count_order is missing';
  const isNamed = textOf(fields, 'product_code') !== null || textOf(fields, 'group_product') !== null;
  return isNamed ? null : 'neither product_code nor group_product is there';
}
