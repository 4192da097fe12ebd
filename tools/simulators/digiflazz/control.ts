import type { IncomingMessage } from 'node:http';
import { readBody } from '../common/http.js';
import { accountChange } from './account-changes.js';
import { planForged, planPing } from './callbacks.js';
import { minuteOfDay } from './checks.js';
import { RESPONSE_CODES } from './codes.js';
import { form, move } from './ledger.js';
import type { Transaction } from './model.js';
import { purchasesOf, type PurchaseView } from './purchase-view.js';
import { changeReadings } from './readings.js';
import { CALLBACK, type CallbackBehaviour, readRule, type Rule } from './rules.js';
import type { Scheduler } from './scheduler.js';
import { checked, count, invalid, isObject, type Json, listOf, object, oneOf } from './shapes.js';
import { type Shape, text } from './shapes.js';
import type { Store } from './store.js';
import { stepsOf } from './transactions.js';

const LARGEST_BODY_BYTES = 1024 * 1024;
const MINUTE_MS = 60_000;
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

type Handler = (body: Json, query: URLSearchParams) => unknown;

/** What tests steer the simulator with. A handler's result is answered with 200. */
export class Control {
  private readonly routes: Readonly<Record<string, Handler>> = {
    'GET /_sim/journal': (_, query) => this.journal(query.get('ref_id')),
    'GET /_sim/purchases': (_, query) => purchasesOf(this.store, query.get('ref_id')),
    'POST /_sim/purchases': (body) => this.plant(body),
    'GET /_sim/account': () => this.account(),
    'POST /_sim/account': (body) => this.changeAccount(body),
    'GET /_sim/rules': () => this.store.rules,
    'POST /_sim/rules': (body) => this.addRules(body),
    'DELETE /_sim/rules': () => this.forgetRules(),
    'GET /_sim/clock': () => this.clock(),
    'POST /_sim/clock': (body) => this.moveClock(body),
    'GET /_sim/readings': () => this.store.readings,
    'POST /_sim/readings': (body) => this.changeReadings(body),
    'POST /_sim/settle': (body) => this.settle(body),
    'GET /_sim/callbacks': (_, query) => this.callbacks(query.get('ref_id')),
    'POST /_sim/callbacks': (body) => this.callBack(body),
    'POST /_sim/ping': (body) => this.ping(body),
  };

  constructor(
    private readonly store: Store,
    private readonly scheduler: Scheduler,
  ) {}

  /** @throws Invalid for what it does not understand */
  async answer(request: IncomingMessage): Promise<unknown> {
    // Below the vendor's base URL too, which is what the process prints.
    const url = new URL((request.url ?? '').replace(/^\/v1/, ''), 'http://simulator');
    const handler = this.routes[`${request.method} ${url.pathname}`];
    if (handler === undefined) throw invalid(`there is no ${request.method} ${url.pathname}`);
    const body = (await readBody(request, LARGEST_BODY_BYTES))?.toString('utf8') ?? '';
    return handler(body === '' ? {} : parsed(body), url.searchParams);
  }

  /** Takes what a simulator is given at its first start. @throws Invalid */
  setUp(account: Json, readings: Json): void {
    this.store.commit(accountChange(this.store, account));
    this.changeReadings(readings);
  }

  private journal(refId: string | null): unknown {
    const entries = Array.from(this.store.entries.values());
    return refId === null ? entries : entries.filter(({ ref_id }) => ref_id === refId);
  }

  private account(): unknown {
    const transactions = Array.from(this.store.transactions.values());
    const debited = transactions.reduce((sum, each) => sum + each.debited, 0);
    return { ...this.store.account, debited, products: this.store.products };
  }

  private changeAccount(body: Json): unknown {
    const before = this.store.account.webhook;
    this.store.commit(accountChange(this.store, body));
    const { url, secret } = this.store.account.webhook;
    const isSetUp = url !== null && (url !== before.url || secret !== before.secret);
    // D2: the vendor tries a webhook when it is set up.
    const ping = isSetUp ? planPing(this.store) : null;
    if (ping) void this.scheduler.send(ping);
    return this.account();
  }

  private addRules(body: Json): readonly Rule[] {
    const wanted: readonly unknown[] = Array.isArray(body.rules) ? body.rules : [body];
    const next = Math.max(0, ...this.store.rules.map(({ id }) => id)) + 1;
    const rules = wanted.map((each, index) => readRule(each, next + index));
    this.store.commit({ rules: [...this.store.rules, ...rules] });
    return rules;
  }

  private forgetRules(): unknown {
    this.store.commit({ rules: [] });
    return [];
  }

  private clock(): unknown {
    const now = this.store.now();
    const minute = minuteOfDay(this.store);
    const local = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'));
    return { now: new Date(now).toISOString(), now_ms: now, local: local.join(':') };
  }

  private moveClock(body: Json): unknown {
    const { advance, until } = checked<{ advance?: unknown; until?: string }>(body, 'clock', {
      advance: {
        expected: 'milliseconds, or a text such as "61s"',
        fits: (value) => durationMs(value) !== null,
      },
      until: { expected: 'hh:mm', fits: (value) => typeof value === 'string' && /^\d\d:\d\d$/.test(value) },
    });
    const byMs = until === undefined ? (durationMs(advance) ?? 0) : this.msUntil(until);
    this.store.commit({ offset_ms: this.store.clockOffsetMs + byMs });
    this.scheduler.run();
    return this.clock();
  }

  private msUntil(local: string): number {
    const [hours = 0, minutes = 0] = local.split(':').map(Number);
    const minutesLeft = (hours * 60 + minutes - minuteOfDay(this.store) + 1440) % 1440;
    return minutesLeft === 0 ? 0 : minutesLeft * MINUTE_MS - (this.store.now() % MINUTE_MS);
  }

  private changeReadings(body: Json): unknown {
    this.store.commit({ readings: { ...changeReadings(this.store.readings, body) } });
    return this.store.readings;
  }

  private settle(body: Json): PurchaseView[] {
    const wanted = checked<Settlement>(body, 'settle', SETTLE);
    const { callback, sn, status } = wanted;
    const rc = wanted.rc ?? (status === 'Gagal' ? '02' : '00');
    if (callback) checked(callback, 'callback', CALLBACK);
    const transaction = this.latest(wanted.ref_id);
    const changed = { ...transaction, steps: [], callback: callback ?? transaction.callback };
    move(this.store, changed, { rc, ...(sn !== undefined && { sn }) });
    this.scheduler.arm();
    return purchasesOf(this.store, transaction.ref_id);
  }

  /** A transaction that did not come through this interface. */
  private plant(body: Json): PurchaseView[] {
    const wanted = checked<Planted>(body, 'purchase', PLANT);
    const { ref_id, customer_no, channel = 'jabber', rc = '00', sn } = wanted;
    const sku = wanted.buyer_sku_code;
    if (!ref_id || !sku || !customer_no) throw invalid('ref_id, buyer_sku_code and customer_no are required');
    const { then } = readRule({ ...(wanted.then && { then: wanted.then }) }, 0);
    const price = wanted.price ?? this.store.product(sku)?.price ?? 0;
    const about = { ref_id, customer_no, buyer_sku_code: sku, channel, price, testing: false, cb_url: null };
    const steps = stepsOf(this.store, rc, then && { then });
    form(this.store, about, { rc, sn, steps, callback: {} });
    this.scheduler.arm();
    return purchasesOf(this.store, ref_id);
  }

  private callbacks(refId: string | null): unknown {
    const deliveries = Array.from(this.store.deliveries.values());
    return refId === null ? deliveries : deliveries.filter(({ ref_id }) => ref_id === refId);
  }

  private async callBack(body: Json): Promise<unknown> {
    const wanted = checked<Forged>(body, 'callback', { ...CALLBACK, ...FORGED });
    const again = this.store.deliveries.get(wanted.redeliver ?? 0);
    if (wanted.redeliver !== undefined && !again) throw invalid(`there is no callback ${wanted.redeliver}`);
    if (again)
      return this.scheduler.send({ ...again, n: this.store.nextDelivery(), attempts: [], repeat: true });
    const forged = planForged(this.store, this.latest(wanted.ref_id), wanted);
    if (forged === null) throw invalid('there is no address to call back');
    return this.scheduler.send(forged);
  }

  private ping(body: Json): Promise<unknown> {
    const { signature } = checked<CallbackBehaviour>(body, 'ping', CALLBACK);
    const ping = planPing(this.store, signature);
    if (ping === null) throw invalid('no webhook is set up');
    return this.scheduler.send(ping);
  }

  private latest(refId: string | undefined): Transaction {
    const transaction = this.store.underReference(refId ?? '').at(-1);
    if (transaction === undefined) throw invalid(`there is no transaction ${refId ?? 'without ref_id'}`);
    return transaction;
  }
}

interface Settlement {
  readonly ref_id: string;
  readonly rc?: string;
  readonly status?: 'Sukses' | 'Gagal';
  readonly sn?: string;
  readonly callback?: CallbackBehaviour;
}

interface Planted extends Partial<Record<'ref_id' | 'buyer_sku_code' | 'customer_no' | 'channel', string>> {
  readonly rc?: string;
  readonly sn?: string;
  readonly price?: number;
  readonly then?: Rule['then'];
}

type Forged = CallbackBehaviour & {
  readonly ref_id?: string;
  readonly redeliver?: number;
  readonly event?: string;
  readonly url?: string;
  readonly set?: Json;
};

const knownCode: Shape = {
  expected: 'a code that forms a transaction',
  fits: (value) => typeof value === 'string' && RESPONSE_CODES.get(value)?.made === true,
};
const SETTLE: Readonly<Record<string, Shape>> = {
  ref_id: text,
  rc: knownCode,
  status: oneOf('Sukses', 'Gagal'),
  sn: text,
  callback: object,
};
const PLANT: Readonly<Record<string, Shape>> = {
  ref_id: text,
  buyer_sku_code: text,
  customer_no: text,
  channel: text,
  rc: knownCode,
  sn: text,
  price: count,
  then: listOf(object),
};
const FORGED: Readonly<Record<string, Shape>> = {
  ref_id: text,
  redeliver: count,
  event: text,
  url: text,
  set: object,
};

function parsed(body: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalid('the body is not JSON');
  }
  if (!isObject(value)) throw invalid('the body is not a JSON object');
  return value;
}

function durationMs(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  const [, digits, unit = ''] = typeof value === 'string' ? (/^(\d+)(ms|s|m|h|d)$/.exec(value) ?? []) : [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? null : Number(digits) * unitMs;
}
