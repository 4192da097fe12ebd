import type { IncomingMessage } from 'node:http';
import { advanceMs, clockOf } from './clock.js';
import { readBody } from './http.js';
import type { Kinds } from './model.js';
import { callbackShapes, readRule } from './rules.js';
import type { Scheduler } from './scheduler.js';
import { checked, count, invalid, isObject, type Json, object, text, url } from './shapes.js';
import type { Forged, Handler, Vendor } from './vendor.js';

const LARGEST_BODY_BYTES = 1024 * 1024;

/** The control surface, by which tests steer a simulator. It answers a handler's result with 200. */
export class Control<K extends Kinds> {
  private readonly routes: Readonly<Record<string, Handler>>;

  constructor(
    private readonly vendor: Vendor<K>,
    private readonly scheduler: Scheduler<K>,
  ) {
    this.routes = {
      'GET /_sim/journal': (_, query) => this.journal(query.get('ref_id')),
      'GET /_sim/purchases': (_, query) => vendor.purchases(query.get('ref_id')),
      'GET /_sim/account': () => vendor.account(),
      'POST /_sim/account': (body) => this.changeAccount(body),
      'GET /_sim/rules': () => this.store.rules,
      'POST /_sim/rules': (body) => this.addRules(body),
      'DELETE /_sim/rules': () => this.forgetRules(),
      'GET /_sim/clock': () => clockOf(this.store),
      'POST /_sim/clock': (body) => this.moveClock(body),
      'GET /_sim/readings': () => this.store.readings,
      'POST /_sim/readings': (body) => this.changeReadings(body),
      'GET /_sim/callbacks': (_, query) => this.callbacks(query.get('ref_id')),
      'POST /_sim/callbacks': (body) => this.callBack(body),
      ...vendor.routes(scheduler),
    };
  }

  /** @throws Invalid for an unknown path or a wrong body */
  async answer(request: IncomingMessage, path: string): Promise<unknown> {
    const url = new URL(path, 'http://simulator');
    const handler = this.routes[`${request.method} ${url.pathname}`];
    if (handler === undefined) throw invalid(`there is no ${request.method} ${url.pathname}`);
    const body = (await readBody(request, LARGEST_BODY_BYTES))?.toString('utf8') ?? '';
    return handler(body === '' ? {} : parsed(body), url.searchParams);
  }

  /** Applies the settings of the first start. @throws Invalid */
  setUp(account: Json, readings: Json): void {
    this.store.commit(this.vendor.accountChange(account));
    this.changeReadings(readings);
  }

  private get store(): Vendor<K>['store'] {
    return this.vendor.store;
  }

  private journal(refId: string | null): unknown {
    const entries = Array.from(this.store.entries.values());
    return refId === null ? entries : entries.filter(({ ref_id }) => ref_id === refId);
  }

  private changeAccount(body: Json): unknown {
    const before = this.store.account;
    this.store.commit(this.vendor.accountChange(body));
    this.vendor.accountChanged(before, this.scheduler);
    return this.vendor.account();
  }

  private addRules(body: Json): unknown {
    const wanted: readonly unknown[] = Array.isArray(body.rules) ? body.rules : [body];
    const next = Math.max(0, ...this.store.rules.map(({ id }) => id)) + 1;
    const rules = wanted.map((each, index) => readRule<K['rule']>(each, next + index, this.vendor.rules));
    this.store.commit({ rules: [...this.store.rules, ...rules] });
    return rules;
  }

  private forgetRules(): unknown {
    this.store.commit({ rules: [] });
    return [];
  }

  private moveClock(body: Json): unknown {
    this.store.commit({ offset_ms: this.store.clockOffsetMs + advanceMs(this.store, body) });
    this.scheduler.run();
    return clockOf(this.store);
  }

  private changeReadings(body: Json): unknown {
    this.store.changeReadings(body);
    return this.store.readings;
  }

  private callbacks(refId: string | null): unknown {
    const deliveries = Array.from(this.store.deliveries.values());
    return refId === null ? deliveries : deliveries.filter(({ ref_id }) => ref_id === refId);
  }

  private async callBack(body: Json): Promise<unknown> {
    const shapes = { ref_id: text, redeliver: count, url, set: object };
    const wanted = checked<Forged & { ref_id?: string; redeliver?: number }>(body, 'callback', {
      ...callbackShapes(this.vendor.rules),
      ...shapes,
      ...this.vendor.forged,
    });
    const again = this.store.deliveries.get(wanted.redeliver ?? 0);
    if (wanted.redeliver !== undefined && !again) throw invalid(`there is no callback ${wanted.redeliver}`);
    if (again) {
      const fresh = { n: this.store.nextDelivery(), attempts: [], repeat: true };
      return this.scheduler.send({ ...again, ...fresh });
    }
    const { ref_id, redeliver: _, ...forged } = wanted;
    const delivery = this.vendor.forge(this.vendor.latest(ref_id), forged);
    if (delivery === null) throw invalid('there is no address to call back');
    return this.scheduler.send(delivery);
  }
}

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
