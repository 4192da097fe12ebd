import { createHmac } from 'node:crypto';
import { startSeagm } from '../../tools/simulators/seagm/simulator.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { type Json, type Purchase as CommonPurchase, SellerBench, SimulatorClient } from './simulator-client.js';

export type { Json } from './simulator-client.js';

export const UID = '10001';
export const SECRET_KEY = 'seagm-test-secret';

type Fields = Record<string, string>;

export interface Answer extends Json {
  http: number;
  code: number;
  data?: Json;
}

/** The simulator's record of one reference. */
export interface Purchase extends CommonPurchase {
  id: string;
  status_code: number;
  price_debited: string;
}

/** The signature of `fields`, each value form-encoded. */
export function sign(fields: Fields, key = SECRET_KEY): string {
  const names = Object.keys(fields).sort();
  const text = new URLSearchParams(Object.fromEntries(names.map((name) => [name, fields[name] ?? '']))).toString();
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Sends a simulator the requests of the vendor's clients, and controls it. */
export class SeagmClient extends SimulatorClient {
  /** The seconds by which the client's clock is ahead of the real one. */
  aheadSeconds = 0;

  /** A top-up of Free Fire, unless `more` changes it. */
  buy(mch_order_id: string, more: Fields = {}): Promise<Answer> {
    const fields = { type_id: '6401', buy_amount: '1', userid: '12345678', mch_order_id, ...more };
    return this.post('v1/recharge-orders', fields);
  }

  card(mch_order_id: string): Promise<Answer> {
    return this.post('v1/card-orders', { type_id: '901', buy_amount: '1', mch_order_id });
  }

  inquire(id: string, query_type = 'mchOrderId', kind = 'recharge'): Promise<Answer> {
    return this.get(`v1/${kind}-orders/${id}`, { query_type });
  }

  /** The query of every call with these fields. `more` is added to it, and may make it invalid. */
  signed(fields: Fields, more: Fields = {}): Fields {
    const timestamp = String(Math.floor(Date.now() / 1_000) + this.aheadSeconds);
    const own = { uid: UID, timestamp };
    return { ...own, signature: sign({ ...fields, ...own }), ...more };
  }

  async post(path: string, fields: Fields, more: Fields = {}): Promise<Answer> {
    const query = new URLSearchParams(this.signed(fields, more)).toString();
    return answerOf(await fetch(`${this.url}/${path}?${query}`, { method: 'POST', body: new URLSearchParams(fields) }));
  }

  async get(path: string, fields: Fields = {}): Promise<Answer> {
    const query = new URLSearchParams({ ...fields, ...this.signed(fields) }).toString();
    return answerOf(await fetch(`${this.url}/${path}?${query}`));
  }

  async advance(seconds: number): Promise<void> {
    await this.sim('clock', { advance: `${seconds}s` });
    this.aheadSeconds += seconds;
  }

  override purchase<Found extends CommonPurchase = Purchase>(refId: string): Promise<Found> {
    return super.purchase<Found>(refId);
  }
}

async function answerOf(response: Response): Promise<Answer> {
  return { ...((await response.json()) as Answer), http: response.status };
}

/** The simulators and receivers of one test, which `clear` stops. */
export class SeagmBench extends SellerBench<SeagmClient> {
  constructor() {
    super(startSeagm, SeagmClient);
  }

  /** A simulator that sends callbacks to `/hook` of a receiver. */
  async startWithCallbacks(readings: Json = {}): Promise<{ client: SeagmClient; receiver: WebhookReceiver }> {
    const receiver = await this.receiver();
    return { client: await this.start(readings, { callback_url: receiver.url('/hook') }), receiver };
  }
}
