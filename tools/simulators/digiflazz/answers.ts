import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sendText } from '../common/http.js';
import type { JournalEntry } from './model.js';
import type { Readings } from './readings.js';
import type { Reply } from './replies.js';
import type { Rule } from './rules.js';
import { isObject, type Json } from './shapes.js';

const HTML = '<html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>\n';
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };

/** What an answer about a transaction may leave out. */
const OPTIONAL = ['sn', 'buyer_last_saldo', 'tele', 'wa'];

/** From here on an answer with this status has no JSON in it. */
const SERVER_ERROR = 500;

/** Sends `reply` as the rule wants it, and returns what the journal keeps. */
export function answer(
  response: ServerResponse,
  reply: Reply,
  rule: Rule | undefined,
  readings: Readings,
): JournalEntry['answer'] {
  const status = rule?.http ?? reply.http;
  if (rule?.drop === true) {
    response.destroy();
    return { kind: 'dropped', status: null, body: null };
  }
  const isHtml = rule?.body === 'html' || status >= SERVER_ERROR;
  const body = isHtml ? HTML : bodyOf(reply, rule, readings);
  if (rule?.drop === 'mid_body') {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
    return { kind: 'dropped', status, body: body.slice(0, body.length / 2) };
  }
  sendText(response, status, rule?.gzip ? gzipSync(body) : body, {
    ...(isHtml && HTML_TYPE),
    ...(rule?.gzip && { 'content-encoding': 'gzip' }),
  });
  return { kind: 'answered', status, body };
}

/** Answers what the vendor does not have, with a page. */
export function answerPage(response: ServerResponse, status: number): JournalEntry['answer'] {
  sendText(response, status, HTML, HTML_TYPE);
  return { kind: 'answered', status, body: HTML };
}

function bodyOf(reply: Reply, rule: Rule | undefined, readings: Readings): string {
  let data: unknown = reply.data;
  if (isObject(data)) {
    const omitted = [...(rule?.omit ?? []), ...emptied(data, readings)];
    data = { ...without(data, omitted), ...rule?.set };
    if (rule?.rc_as_number || readings.rc_type === 'number') data = withNumericCode(data);
  }
  if (rule?.numbers_as_text) data = withTexts(data);
  if (rule?.extra_fields) data = Array.isArray(data) ? data.map(withMore) : withMore(data);
  const envelope = rule?.extra_fields ? { data, x_meta: { version: 2 } } : { data };
  switch (rule?.body) {
    case 'no_data':
      return JSON.stringify({ message: 'Something went wrong' });
    case 'empty':
      return '';
    case 'truncated': {
      const whole = JSON.stringify(envelope);
      return whole.slice(0, Math.floor(whole.length / 2));
    }
    case 'html':
    case undefined:
      return JSON.stringify(envelope);
  }
}

/** Which optional members an answer lacks in the reading `absent`: an sn is there once it is known. */
function emptied(data: Json, { optional_members }: Readings): readonly string[] {
  if (optional_members === 'present') return [];
  return OPTIONAL.filter((name) => name !== 'sn' || data.sn === '');
}

/** `data` without these members. */
function without(data: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
}

function withMore(value: unknown): unknown {
  return isObject(value) ? { ...value, x_new: { nested: [1, null] }, x_null: null } : value;
}

function withNumericCode(data: unknown): unknown {
  return isObject(data) && typeof data.rc === 'string' ? { ...data, rc: Number(data.rc) } : data;
}

function withTexts(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member)]));
}
