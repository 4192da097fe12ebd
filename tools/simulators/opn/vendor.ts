import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendByRule, spoiled } from '../common/answers.js';
import type { Message } from '../common/callbacks.js';
import type { SimulatorConfig } from '../common/config.js';
import { formFields } from '../common/form.js';
import type { Answered, Change, Delivery } from '../common/model.js';
import { received } from '../common/requests.js';
import { checked, type Json, orNull, text, url } from '../common/shapes.js';
import { type RunningSimulator, type Simulator, startVendor } from '../common/simulator.js';
import { Store } from '../common/store.js';
import { type Forged, type Outcome, Vendor } from '../common/vendor.js';
import {
  aboutCharge,
  CAPABILITY,
  chargeView,
  listCharges,
  listRefunds,
  makeCharge,
  makeSource,
  messageOf,
  move,
  refused,
} from './charges.js';
import type { Account, Call, CallbackBehaviour, Charge, Kinds, OpnCall, Reply, Rule, State } from './model.js';
import { READINGS, RULES } from './model.js';

const DAY_MS = 86_400_000;
const STALE_SECONDS = 600;
const ROUTES: readonly (readonly [Call, RegExp])[] = [
  ['capability', /^GET \/capability$/],
  ['source', /^POST \/sources$/],
  ['charge', /^POST \/charges$/],
  ['list', /^GET \/charges$/],
  ['refunds', /^GET \/refunds$/],
  ['retrieve', /^GET \/charges\/([^/]+)$/],
  ['expire', /^POST \/charges\/([^/]+)\/expire$/],
  ['image', /^GET \/charges\/([^/]+)\/documents\/[^/]+\/downloads\/[^/]+$/],
];
const DEFAULT_ACCOUNT: Account = {
  public_key: 'pkey_test_simulator',
  secret_key: 'skey_test_simulator',
  webhook_secret: Buffer.from('opn-webhook-secret-of-the-simulator').toString('base64'),
  earlier_secret: null,
  rolled_at_ms: 0,
  webhook_url: null,
  callback_from: null,
  balance: 0,
};

/** The interface of Opn for charges by PromptPay. */
class Opn extends Vendor<Kinds> {
  readonly store = new Store<Kinds>(DEFAULT_ACCOUNT, READINGS, 'balance');
  readonly rules = RULES;
  readonly undecided: Reply = { ...refused(500, 'internal_error'), decision: 'not decided', about: { code: null } };
  override readonly forged = { event: text };

  async receive(request: IncomingMessage): Promise<OpnCall> {
    const { headers, json, query, ...about } = await received(request);
    const fields = json ?? nested(formFields(about.method === 'GET' ? query : about.body));
    const [call = null, path] = ROUTES.find(([, route]) => route.test(`${about.method} ${about.path}`)) ?? [];
    const id = path?.exec(`${about.method} ${about.path}`)?.[1] ?? '';
    const credentials = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const { deposit } = (fields.metadata ?? {}) as Json;
    // The service names its deposit in the metadata.
    const ref_id = typeof deposit === 'string' ? deposit : (this.store.transactions.get(id)?.ref_id ?? null);
    const key = Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '';
    const idempotencyKey = headers['idempotency-key']?.toString() ?? null;
    const caller = { key, idempotencyKey, host: headers.host ?? '', sku: null, player: null, unknownFields: [] };
    return {
      ...about,
      ...caller,
      call,
      id,
      fields,
      ref_id,
      about: { query, version: headers['omise-version'] ?? null },
    };
  }

  decide(call: OpnCall, rule: Rule | undefined): Reply {
    const { public_key, secret_key } = this.store.account;
    // D: a capability is read with the public key only.
    const isPublic = call.call === 'source' || call.call === 'capability';
    const isKnown = call.call === 'image' || call.key === (isPublic ? public_key : secret_key);
    if (!isKnown) return refused(401, 'authentication_failure');
    if (rule?.code !== undefined) return refused(rule.http ?? 400, rule.code);
    if (call.call === 'capability') return CAPABILITY;
    if (call.call === 'source') return makeSource(this.store, call);
    if (call.call === 'charge') return makeCharge(this.store, call, rule);
    if (call.call === 'refunds') return listRefunds(this.store, call, rule);
    return call.call === 'list' ? listCharges(this.store, call, rule) : aboutCharge(this.store, call);
  }

  answer(response: ServerResponse, { body, http }: Reply, rule: Rule | undefined): Answered {
    if (typeof body === 'string') return sendByRule(response, { http, body, type: 'image/svg+xml' }, rule);
    return sendByRule(response, { http, body: JSON.stringify(spoiled(body, rule)) }, rule);
  }

  isAccepted(status: number | null): boolean {
    return status !== null && status >= 200 && status < 300;
  }

  outcomeOf({ status }: Charge): Outcome {
    return status === 'pending' ? status : status === 'successful' ? 'succeeded' : 'failed';
  }

  /** A new `webhook_secret` is rolled: the one before signs, too, for a day. */
  accountChange(body: Json): Change<Kinds> {
    const key = { public_key: text, secret_key: text, webhook_secret: text };
    const shapes = { ...key, webhook_url: orNull(url), callback_from: orNull(text) };
    const wanted = checked<Partial<Account>>(body, 'account', shapes);
    const isRolled = wanted.webhook_secret !== undefined && !this.store.isNew;
    const rolled = { earlier_secret: this.store.account.webhook_secret, rolled_at_ms: this.store.now() };
    return { account: { ...this.store.account, ...wanted, ...(isRolled && rolled) } };
  }

  /** Signatures are of the real time, by which the receiver judges them. */
  override outgoing(delivery: Delivery): Delivery {
    const { 'Omise-Signature': wish, ...plain } = delivery.headers;
    if (wish === 'absent') return { ...delivery, headers: plain };
    const { earlier_secret, rolled_at_ms, webhook_secret } = this.store.account;
    const isRolled = earlier_secret !== null && this.store.now() - rolled_at_ms < DAY_MS;
    const secrets = isRolled ? [webhook_secret, earlier_secret] : [webhook_secret];
    const seconds = String(Math.floor(Date.now() / 1_000) - (wish === 'stale' ? STALE_SECONDS : 0));
    const signed = `${seconds}.${delivery.body}${wish === 'wrong' ? ' ' : ''}`;
    const signature = secrets.map((secret) => hmac(signed, secret)).join(',');
    const name = wish === 'other_header' ? 'X-Omise-Signature' : 'Omise-Signature';
    return { ...delivery, headers: { ...plain, [name]: signature, 'Omise-Signature-Timestamp': seconds } };
  }

  protected move(charge: Charge, state: State): void {
    move(this.store, charge, state);
  }

  protected purchaseView(latest: Charge): Json {
    return chargeView(latest);
  }

  protected accountView(): Json {
    return { ...this.store.account };
  }

  protected callbackUrl(): string | null {
    return this.store.account.webhook_url;
  }

  protected forgedMessage(charge: Charge, wanted: Forged<CallbackBehaviour>): Omit<Message, 'url'> {
    return messageOf(this.store, charge, wanted);
  }
}

const hmac = (signed: string, secret: string): string =>
  createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('hex');

/** `metadata[deposit]=…` is a member of `metadata`. */
function nested(fields: Readonly<Record<string, string>>): Json {
  const members: Json = {};
  for (const [name, value] of Object.entries(fields)) {
    const [, outer = name, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    members[outer] = inner === undefined ? value : { ...(members[outer] as Json | undefined), [inner]: value };
  }
  return members;
}

export const OPN: Simulator<Kinds> = {
  name: 'opn',
  port: 4015,
  create: () => new Opn(),
  credentials: ({ public_key, secret_key, webhook_secret }) => ({ public_key, secret_key, webhook_secret }),
};

export const startOpn = (config: SimulatorConfig): Promise<RunningSimulator> => startVendor(OPN, config);
