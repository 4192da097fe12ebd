import type { ServerResponse } from 'node:http';
import { sendByRule, spoiled, without } from '../common/answers.js';
import type { Answered } from '../common/model.js';
import { isObject, type Json } from '../common/shapes.js';
import type { Readings } from './readings.js';
import type { Reply } from './model.js';
import type { Rule } from './rules.js';

/** The optional members of an answer about a transaction. */
const OPTIONAL = ['sn', 'buyer_last_saldo', 'tele', 'wa'];

/** Sends `reply` as the rule says. @returns the answer for the journal. */
export function answer(response: ServerResponse, reply: Reply, rule: Rule | undefined, readings: Readings): Answered {
  return sendByRule(response, { http: reply.http, body: bodyOf(reply, rule, readings) }, rule);
}

function bodyOf(reply: Reply, rule: Rule | undefined, readings: Readings): string {
  if (rule?.body === 'no_data') return JSON.stringify({ message: 'Something went wrong' });
  const { data } = reply;
  const honest = isObject(data) ? without(data, emptied(data, readings)) : data;
  const isNumeric = rule?.rc_as_number || readings.rc_type === 'number';
  const sent = spoiled(isNumeric ? withNumericCode(honest) : honest, rule);
  return JSON.stringify(rule?.extra_fields ? { data: sent, x_meta: { version: 2 } } : { data: sent });
}

/** The optional members that an answer lacks in the reading `absent`. It has the sn once there is one. */
function emptied(data: Json, { optional_members }: Readings): readonly string[] {
  if (optional_members === 'present') return [];
  return OPTIONAL.filter((name) => name !== 'sn' || data.sn === '');
}

function withNumericCode(data: unknown): unknown {
  return isObject(data) && typeof data.rc === 'string' ? { ...data, rc: Number(data.rc) } : data;
}
