import type { ServerResponse } from 'node:http';
import { sendByRule, spoiled } from '../common/answers.js';
import type { Answered } from '../common/model.js';
import type { LapakReply, LapakRule } from './model.js';

const PAGE = '<html><head><title>Too Many Requests</title></head><body>Too Many Requests</body></html>\n';
const PAGE_TYPE = 'text/html; charset=utf-8';

/** The part of a long answer that the journal stores, because catalogues would fill the disk. */
const KEPT_CHARACTERS = 10_000;

/** Sends `reply` as the rule says. @returns the answer for the journal. */
export function answer(response: ServerResponse, reply: LapakReply, rule: LapakRule | undefined): Answered {
  const { http, isPage } = reply;
  const body = isPage ? PAGE : JSON.stringify(envelope(reply, rule));
  const sent = sendByRule(response, { http, body, ...(isPage && { type: PAGE_TYPE }) }, rule);
  return { ...sent, body: sent.body?.slice(0, KEPT_CHARACTERS) ?? null };
}

function envelope({ code, data }: LapakReply, rule: LapakRule | undefined): object {
  if (rule?.body === 'no_data') return { code };
  return { code, data: spoiled(data, rule), ...(rule?.extra_fields && { x_meta: { version: 2 } }) };
}
