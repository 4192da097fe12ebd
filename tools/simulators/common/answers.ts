import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sendText } from './http.js';
import type { Answered } from './model.js';
import type { Rule } from './rules.js';
import { isObject, type Json } from './shapes.js';

const HTML = '<html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>\n';
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };

/** If a rule sets this status or a higher one, the answer is a page instead of JSON. */
const SERVER_ERROR = 500;

/** The answer before a rule spoils it. */
export interface Honest {
  readonly http: number;
  readonly body: string;
  /** JSON unless given. */
  readonly type?: string;
}

/** Sends an answer as the rule says. @returns the answer for the journal. */
export function sendByRule(response: ServerResponse, honest: Honest, rule: Rule | undefined): Answered {
  const status = rule?.http ?? honest.http;
  if (rule?.drop === true) {
    response.destroy();
    return { kind: 'dropped', status: null, body: null };
  }
  const isHtml = rule?.body === 'html' || (rule?.http ?? 0) >= SERVER_ERROR;
  const body = isHtml ? HTML : cut(honest.body, rule);
  const type = isHtml ? HTML_TYPE : { 'content-type': honest.type ?? 'application/json; charset=utf-8' };
  if (rule?.drop === 'mid_body') {
    const half = body.slice(0, body.length / 2);
    response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body) });
    response.write(half, () => response.destroy());
    return { kind: 'dropped', status, body: half };
  }
  sendText(response, status, rule?.gzip ? gzipSync(body) : body, {
    ...type,
    ...(rule?.gzip && { 'content-encoding': 'gzip' }),
  });
  return { kind: 'answered', status, body };
}

/** Answers a request that is none of the vendor's calls with a page. */
export function sendPage(response: ServerResponse, status: number): Answered {
  sendText(response, status, HTML, HTML_TYPE);
  return { kind: 'answered', status, body: HTML };
}

/** `data` with the members that a rule changes. */
export function spoiled(data: unknown, rule: Rule | undefined): unknown {
  let value = isObject(data) ? { ...without(data, rule?.omit ?? []), ...rule?.set } : data;
  if (rule?.numbers_as_text) value = withTexts(value);
  if (rule?.extra_fields) value = Array.isArray(value) ? value.map(withMore) : withMore(value);
  return value;
}

function cut(body: string, rule: Rule | undefined): string {
  if (rule?.body === 'empty') return '';
  return rule?.body === 'truncated' ? body.slice(0, Math.floor(body.length / 2)) : body;
}

/** `data` without these members. */
export function without(data: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
}

function withMore(value: unknown): unknown {
  return isObject(value) ? { ...value, x_new: { nested: [1, null] }, x_null: null } : value;
}

function withTexts(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member)]));
}
