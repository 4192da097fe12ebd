import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendByRule, spoiled } from '../common/answers.js';
import type { SimulatorConfig } from '../common/config.js';
import { formFields } from '../common/form.js';
import type { Answered, Change } from '../common/model.js';
import { received } from '../common/requests.js';
import { checked, count, invalid, type Json, listOf, text } from '../common/shapes.js';
import { type RunningSimulator, type Simulator, startVendor } from '../common/simulator.js';
import { type Handler, type Outcome, Vendor } from '../common/vendor.js';
import { type Account, type Kinds, type Reply, type Rule, RULES, type Slip, type SlipCall } from './model.js';
import { matchedAccount, rawSlip, Store } from './slips.js';

/** D: the codes of the first version, if they are not those of the second in small letters. */
const OLD_CODES: Readonly<Record<string, string>> = {
  MISSING_API_KEY: 'unauthorized',
  INVALID_API_KEY: 'unauthorized',
  IP_NOT_ALLOWED: 'access_denied',
  VALIDATION_ERROR: 'invalid_payload',
};
const MAX_PAYLOAD = { v1: 255, v2: 128 };
const ROUTES: Readonly<Record<string, readonly [SlipCall['call'], SlipCall['version']]>> = {
  'POST /v2/verify/bank': ['verify', 'v2'],
  'GET /v2/info': ['info', 'v2'],
  'GET /api/v1/verify': ['verify', 'v1'],
  'POST /api/v1/verify': ['verify', 'v1'],
  'GET /api/v1/me': ['info', 'v1'],
};
const OPTIONS = ['payload', 'remark', 'matchAccount', 'matchAmount', 'checkDuplicate'];

/** Both versions of EasySlip's interface for slips of banks. */
class EasySlip extends Vendor<Kinds> {
  readonly store = new Store();
  readonly rules = RULES;
  readonly undecided: Reply = { ...refused('v2', 500, 'INTERNAL_SERVER_ERROR'), decision: 'not decided' };

  async receive(request: IncomingMessage): Promise<SlipCall> {
    const { headers, json, query, ...about } = await received(request);
    const [call = null, version = 'v2'] = ROUTES[`${about.method} ${about.path}`] ?? [];
    const fields = json ?? formFields(query);
    const payload = typeof fields.payload === 'string' ? fields.payload : '';
    const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
    const unknownFields = Object.keys(fields).filter((name) => !OPTIONS.includes(name));
    const names = { ref_id: call === 'verify' ? payload : null, sku: null, player: null, unknownFields };
    return { ...about, ...names, call, version, fields, payload, key, about: { version } };
  }

  decide(call: SlipCall, rule: Rule | undefined): Reply {
    const { account, transactions } = this.store;
    const refuse = (http: number, code: string): Reply => refused(call.version, http, code);
    if (call.key !== account.api_key) return refuse(401, call.key === null ? 'MISSING_API_KEY' : 'INVALID_API_KEY');
    if (rule?.code !== undefined) return refuse(rule.http ?? 400, rule.code);
    if (call.call === 'verify') return account.quota > 0 ? this.verify(call, refuse) : refuse(403, 'QUOTA_EXCEEDED');
    // D for the first version; I: the members of the second.
    const used = Array.from(transactions.values()).reduce((sum, { debited }) => sum + debited, 0);
    const quotas = { usedQuota: used, maxQuota: used + account.quota, remainingQuota: account.quota };
    return answered(call.version, { application: 'simulator', ...quotas });
  }

  /** A rule changes the members of `data`. */
  answer(response: ServerResponse, { body, http }: Reply, rule: Rule | undefined): Answered {
    const sent = 'data' in body ? { ...body, data: spoiled(body.data, rule) } : spoiled(body, rule);
    return sendByRule(response, { http, body: JSON.stringify(sent) }, rule);
  }

  isAccepted(): boolean {
    return true;
  }

  outcomeOf({ ever_succeeded }: Kinds['transaction']): Outcome {
    return ever_succeeded ? 'succeeded' : 'failed';
  }

  accountChange(body: Json): Change<Kinds> {
    const wanted = checked<Partial<Account>>(body, 'account', { api_key: text, quota: count, accounts: listOf(text) });
    return { account: { ...this.store.account, ...wanted } };
  }

  override routes(): Readonly<Record<string, Handler>> {
    return {
      'GET /_sim/slips': () => Array.from(this.store.slips.values()),
      'POST /_sim/slips': (body) => this.store.addSlip(body),
    };
  }

  protected move(): never {
    throw invalid('slips do not move');
  }

  protected purchaseView({ ref_id }: Kinds['transaction']): Json {
    return { ...this.store.slips.get(ref_id) };
  }

  protected accountView(): Json {
    return { ...this.store.account };
  }

  protected callbackUrl(): null {
    return null;
  }

  protected forgedMessage(): never {
    throw invalid('there are no callbacks');
  }

  private verify(call: SlipCall, refuse: (http: number, code: string) => Reply): Reply {
    const { payload, version } = call;
    if (payload === '' || payload.length > MAX_PAYLOAD[version]) return refuse(400, 'VALIDATION_ERROR');
    const slip = this.store.slips.get(payload);
    const isKnown = slip !== undefined && slip.known_at_ms <= this.store.now();
    const before = this.store.transactions.get(payload);
    const first = { ...this.store.begun(), trx_id: payload, ref_id: payload, steps: [], callback: {}, sends: 0 };
    const { debited, sends, ever_succeeded } = before ?? first;
    // I: only answers with a slip count against the quota.
    const counts = { sends: sends + 1, debited: debited + (isKnown ? 1 : 0) };
    const after = { ...(before ?? first), ...counts, ever_succeeded: ever_succeeded || isKnown };
    this.store.commitMove(before ?? first, after, {});
    if (isKnown) return this.found(call, slip, ever_succeeded);
    const { late_bank } = this.store.readings;
    if (slip && late_bank === 'server_error') return refuse(500, 'API_SERVER_ERROR');
    return refuse(404, slip && late_bank === 'pending' ? 'SLIP_PENDING' : 'SLIP_NOT_FOUND');
  }

  private found({ fields, version }: SlipCall, slip: Slip, isRepeated: boolean): Reply {
    const { duplicates, mask, matched_account } = this.store.readings;
    const isDuplicate = isRepeated && (duplicates === 'always' || `${fields.checkDuplicate as string}` === 'true');
    const raw = rawSlip(slip, mask);
    if (version === 'v1') {
      // D: a duplicate is refused, with the slip's data.
      const duplicate = { status: 400, message: 'duplicate_slip', data: raw };
      return isDuplicate ? { ...answered('v1', raw), http: 400, body: duplicate } : answered('v1', raw);
    }
    const isMatch = matched_account === 'always' || (matched_account === 'when_wanted' && fields.matchAccount === true);
    const matched = isMatch ? matchedAccount(slip, this.store.account.accounts) : null;
    const [amountInSlip, { matchAmount }] = [Number(slip.amount), fields];
    const compared = { amountInOrder: matchAmount, isAmountMatched: matchAmount === amountInSlip };
    const amounts = { amountInSlip, ...(matchAmount !== undefined && compared) };
    return answered('v2', { isDuplicate, matchedAccount: matched, ...amounts, rawSlip: raw });
  }
}

function answered(version: SlipCall['version'], data: Json): Reply {
  const body = version === 'v1' ? { status: 200, data } : { success: true, data, message: 'ok' };
  return { http: 200, body, decision: 'answered', about: { code: null } };
}

function refused(version: SlipCall['version'], http: number, code: string): Reply {
  const old = OLD_CODES[code] ?? code.toLowerCase();
  const body = version === 'v1' ? { status: http, message: old } : { success: false, error: { code, message: code } };
  return { http, body, decision: 'refused', about: { code } };
}

export const EASYSLIP: Simulator<Kinds> = {
  name: 'easyslip',
  port: 4016,
  create: () => new EasySlip(),
  credentials: ({ api_key }) => ({ api_key }),
};

export const startEasySlip = (config: SimulatorConfig): Promise<RunningSimulator> => startVendor(EASYSLIP, config);
