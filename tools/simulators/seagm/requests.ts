import type { IncomingMessage } from 'node:http';
import type { VendorCall } from '../common/model.js';
import { received } from '../common/requests.js';
import type { Call } from './rules.js';
import type { Pairs } from './signatures.js';

/** A request to the vendor as it was received. */
export interface SeagmCall extends VendorCall {
  readonly call: Call | null;
  readonly kind: 'recharge' | 'card';
  /** The rest of the path: an order, a category or a type. */
  readonly id: string | null;
  /** The fields of query and body. */
  readonly fields: Readonly<Record<string, string>>;
  readonly pairs: Pairs;
  /** The parameters before they are decoded. */
  readonly raw: Pairs;
  readonly about: {
    readonly query: string;
    readonly type_id: string | null;
    readonly order_id: string | null;
  };
}

/** Facts about a call that are not in its parameters. */
export interface Known {
  /** The reference of the order with this number. */
  readonly referenceOf: (orderId: string) => string | null;
  /** The names of the fields that this type needs. */
  readonly fieldsOf: (kind: 'recharge' | 'card', typeId: string) => readonly string[];
}

const ORDERS = /^\/v1\/(recharge|card)-orders(?:\/([^/]+))?$/;
const CATEGORIES = /^\/v1\/(recharge|card)-categories$/;
const TYPES = /^\/v1\/(recharge|card)-(?:categories\/([^/]+)\/\1-types|types\/([^/]+))$/;
const SIGNED = ['uid', 'timestamp', 'signature'];
const BOUGHT = ['type_id', 'buy_amount', 'mch_order_id'];

/** Reads all of a request. @throws the request's own error when the client goes away in the middle. */
export async function receive(request: IncomingMessage, known: Known): Promise<SeagmCall> {
  const { body, contentType, method, path, query, remoteAddress } = await received(request);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const raw = [...rawPairs(query), ...(isForm ? rawPairs(body) : [])];
  const pairs = raw.map(([name, value]) => [decoded(name), decoded(value)] as const);
  const fields = Object.fromEntries(pairs);
  const target = targetOf(method, path);
  const isInquiry = target.call === 'inquiry';
  const order_id = isInquiry ? target.id : null;
  const own = known.fieldsOf(target.kind, fields.type_id ?? '');
  const names = [...SIGNED, ...(isInquiry ? ['query_type'] : target.isPurchase ? [...BOUGHT, ...own] : [])];
  const byReference = fields.query_type === 'mchOrderId' ? order_id : known.referenceOf(order_id ?? '');
  return {
    call: target.call,
    kind: target.kind,
    id: target.id,
    method,
    path,
    body,
    fields,
    pairs,
    raw,
    remoteAddress,
    ref_id: isInquiry ? byReference : (fields.mch_order_id ?? null),
    sku: skuOf(target.kind, fields.type_id),
    player: fields[own[0] ?? ''] ?? null,
    unknownFields: Object.keys(fields).filter((name) => !names.includes(name)),
    about: { query, type_id: fields.type_id ?? null, order_id },
  };
}

/** The SKU of a type as this service names it: cards have their kind before the number. */
export function skuOf(kind: 'recharge' | 'card', typeId: string | undefined): string | null {
  if (typeId === undefined) return null;
  return kind === 'card' ? `card:${typeId}` : typeId;
}

type Target = Pick<SeagmCall, 'call' | 'id' | 'kind'> & { readonly isPurchase: boolean };

function targetOf(method: string, path: string): Target {
  const target = (call: Call | null, kind?: string, id: string | null = null): Target => ({
    call,
    id,
    isPurchase: call === 'recharge-orders' || call === 'card-orders',
    kind: kind === 'card' ? 'card' : 'recharge',
  });
  const [isOrder, kind, order] = ORDERS.exec(path) ?? [];
  if (isOrder !== undefined && order === undefined && method === 'POST') {
    return target(kind === 'card' ? 'card-orders' : 'recharge-orders', kind);
  }
  if (method !== 'GET') return target(null);
  if (order !== undefined) return target('inquiry', kind, decoded(order));
  const [, categories] = CATEGORIES.exec(path) ?? [];
  if (categories !== undefined) return target('categories', categories);
  const [, typed, category, type] = TYPES.exec(path) ?? [];
  if (typed !== undefined) return target('types', typed, category === undefined ? `=${type}` : category);
  if (path === '/v1/me') return target('me');
  // D: /time. I: below /v1 as well.
  return target(path === '/time' || path === '/v1/time' ? 'time' : null);
}

function rawPairs(text: string): [string, string][] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return [name, value];
    });
}

function decoded(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? '';
}
