import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { answer, answerPage } from './answers.js';
import type { JournalEntry } from './model.js';
import { listPrices, openTicket, tellBalance } from './reads.js';
import type { Reply } from './replies.js';
import { receive, textOf, type VendorCall } from './requests.js';
import { type Call, type Rule, takeRule } from './rules.js';
import type { Scheduler } from './scheduler.js';
import type { Store } from './store.js';
import { transact } from './transactions.js';
import { planPing } from './callbacks.js';

const PING_PATH = /^\/v1\/report\/hooks\/([^/]+)\/pings$/;

/** Answers one request to the vendor, and keeps it in the journal. */
export async function answerVendor(
  store: Store,
  scheduler: Scheduler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const call = await receive(request, path);
  const { entry, rule } = enter(store, call);
  if (call.call === null || call.method !== 'POST') {
    const sent = await answerElsewhere(store, scheduler, call, response);
    store.commit({ entry: { ...entry, decision: 'nothing there', answer: sent } });
    return;
  }

  if (rule?.delay_before_ms !== undefined) await pause(rule.delay_before_ms, undefined, { ref: false });
  const reply = rule?.decide === false ? undecided : decide(store, call, call.call, rule);
  const decided = {
    ...entry,
    decision: reply.decision,
    rc: reply.rc,
    warnings: [...entry.warnings, ...(reply.warnings ?? [])],
  };
  store.commit({ entry: decided });
  scheduler.arm();
  if (reply.transaction?.callback.mode === 'before_answer') await scheduler.flush(reply.transaction.trx_id);
  if (rule?.delay_ms !== undefined) await pause(rule.delay_ms, undefined, { ref: false });
  const sent = answer(response, reply, rule, store.readings);
  store.commit({ entry: { ...decided, answer: sent } });
}

/** What a rule answers when the vendor never got to decide. */
const undecided: Reply = { http: 200, data: {}, decision: 'not decided', rc: null };

function decide(store: Store, call: VendorCall, name: Call, rule: Rule | undefined): Reply {
  switch (name) {
    case 'transaction':
      return transact(store, call, rule);
    case 'cek-saldo':
      return tellBalance(store, call, rule);
    case 'price-list':
      return listPrices(store, call, rule);
    case 'deposit':
      return openTicket(store, call, rule);
  }
}

/** Writes the request down before anything is decided, and uses up the rule for it. */
function enter(store: Store, call: VendorCall): { entry: JournalEntry; rule: Rule | undefined } {
  const ref_id = textOf(call.fields, 'ref_id');
  const sku = textOf(call.fields, 'buyer_sku_code');
  const player = textOf(call.fields, 'customer_no');
  const isRepeat = ref_id !== null && store.underReference(ref_id).length > 0;
  const { rule, left } =
    call.call === null
      ? { rule: undefined, left: undefined }
      : takeRule(store.rules, { call: call.call, ref_id, sku, player, repeat: isRepeat });
  const maxPrice = call.fields?.max_price;
  const last = ref_id === null ? undefined : store.lastEntryOf(ref_id);
  const now = store.now();
  const entry: JournalEntry = {
    n: store.entries.size + 1,
    at: new Date(now).toISOString(),
    method: call.method,
    path: call.path,
    remote_address: call.remoteAddress,
    body: call.body,
    ...{ ref_id, sku, player },
    max_price: typeof maxPrice === 'number' ? maxPrice : null,
    testing: call.fields?.testing === true,
    times_seen: ref_id === null ? 0 : (last?.times_seen ?? 0) + 1,
    since_last_ms: last ? now - Date.parse(last.at) : null,
    same_body: last ? call.body === store.firstBodyOf(last.ref_id ?? '') : null,
    decision: 'received',
    rc: null,
    rule: rule?.id ?? null,
    warnings: call.unknownFields.map((name) => `unknown field ${name}`),
    answer: null,
  };
  store.commit({ entry, ...(left && { rules: left }) });
  return { entry, rule };
}

/** The path by which a client asks for a ping, and all that the vendor does not have. */
async function answerElsewhere(
  store: Store,
  scheduler: Scheduler,
  call: VendorCall,
  response: ServerResponse,
): Promise<JournalEntry['answer']> {
  const hookId = PING_PATH.exec(call.path)?.[1];
  if (hookId === store.account.webhook.id && call.method === 'POST') {
    // D2 for the path; who may ask and what is answered is I: anybody, with an empty success.
    const ping = planPing(store);
    if (ping) await scheduler.send(ping);
    response.writeHead(204).end();
    return { kind: 'answered', status: 204, body: '' };
  }
  // I: which page a wrong method or path gets.
  return answerPage(response, call.call === null ? 404 : 405);
}
