import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answered, JournalEntry, Kinds } from './model.js';
import { takeRule } from './rules.js';
import type { Scheduler } from './scheduler.js';
import type { Vendor } from './vendor.js';

/** Answers a request to the vendor, and writes it to the journal. */
export async function answerVendor<K extends Kinds>(
  vendor: Vendor<K>,
  scheduler: Scheduler<K>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = await vendor.receive(request);
  const { entry, rule } = enter(vendor, call);
  if (call.call === null) {
    const sent = await vendor.answerElsewhere(call, response, scheduler);
    vendor.store.commit({ entry: { ...entry, decision: 'nothing there', answer: sent } });
    return;
  }

  if (rule?.delay_before_ms !== undefined) await pause(rule.delay_before_ms, undefined, { ref: false });
  const reply = rule?.decide === false ? vendor.undecided : vendor.decide(call, rule);
  const { decision, about, transaction } = reply;
  const warnings = [...entry.warnings, ...(reply.warnings ?? [])];
  const decided = { ...entry, ...about, decision, warnings };
  vendor.store.commit({ entry: decided });
  scheduler.arm();
  if (transaction?.callback.mode === 'before_answer') await scheduler.flush(transaction.trx_id);
  if (rule?.delay_ms !== undefined) await pause(rule.delay_ms, undefined, { ref: false });
  const answer: Answered = vendor.answer(response, reply, rule);
  vendor.store.commit({ entry: { ...decided, answer } });
}

/** Writes the request to the journal before the vendor decides, and uses up a rule for it. */
function enter<K extends Kinds>(
  { store, rules, undecided }: Vendor<K>,
  call: K['call'],
): { entry: JournalEntry; rule: K['rule'] | undefined } {
  const { ref_id, sku, player, call: name } = call;
  const repeat = ref_id !== null && store.underReference(ref_id).length > 0;
  const { rule, left } =
    name === null
      ? { rule: undefined, left: undefined }
      : takeRule(store.rules, { ...call.about, call: name, ref_id, sku, player, repeat }, rules.purchases);
  const last = ref_id === null || name === null ? undefined : store.lastEntryOf(name, ref_id);
  const now = store.now();
  const entry: JournalEntry = {
    n: store.entries.size + 1,
    at: new Date(now).toISOString(),
    call: name,
    method: call.method,
    path: call.path,
    remote_address: call.remoteAddress,
    body: call.body,
    ref_id,
    sku,
    player,
    ...call.about,
    times_seen: ref_id === null ? 0 : (last?.times_seen ?? 0) + 1,
    since_last_ms: last ? now - Date.parse(last.at) : null,
    same_body: last ? call.body === store.firstBodyOf(name ?? '', ref_id ?? '') : null,
    decision: 'received',
    ...undecided.about,
    rule: rule?.id ?? null,
    warnings: call.unknownFields.map((field) => `unknown field ${field}`),
    answer: null,
  };
  store.commit({ entry, ...(left && { rules: left }) });
  return { entry, rule };
}
