import { createHash } from 'node:crypto';
import { startDigiflazz } from '../../tools/simulators/digiflazz/simulator.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { type Json, type Purchase as CommonPurchase, SellerBench, SimulatorClient } from './simulator-client.js';

export type { Json } from './simulator-client.js';

export interface Answer {
  status: number;
  data: Json;
}

export const USERNAME = 'demo-reseller';
export const KEYS = { development: 'dev-4b1c9e70-test', production: 'prod-7d20a3f8-test' };

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** The simulator's record of one reference. */
export interface Purchase extends CommonPurchase {
  status: string;
  rc: string;
  price_debited: number;
}

/** Sends a simulator the requests of the vendor's clients, and controls it. */
export class DigiflazzClient extends SimulatorClient {
  /** A purchase with the production key, or with the development key when testing. */
  transaction(ref_id: string, more: Json = {}): Promise<Answer> {
    return this.call('transaction', this.transactionBody(ref_id, more));
  }

  transactionBody(ref_id: string, more: Json = {}): Json {
    const key = more.testing === true ? KEYS.development : KEYS.production;
    const about = { buyer_sku_code: 'ml86', customer_no: '1234567892001', ref_id };
    return { username: USERNAME, sign: md5(USERNAME + key + ref_id), ...about, ...more };
  }

  balance(more: Json = {}): Promise<Answer> {
    const sign = md5(`${USERNAME}${KEYS.production}depo`);
    return this.call('cek-saldo', { cmd: 'deposit', username: USERNAME, sign, ...more });
  }

  priceList(more: Json = {}): Promise<Answer> {
    const sign = md5(`${USERNAME}${KEYS.production}pricelist`);
    return this.call('price-list', { cmd: 'prepaid', username: USERNAME, sign, ...more });
  }

  ticket(amount: unknown): Promise<Answer> {
    const sign = md5(`${USERNAME}${KEYS.production}deposit`);
    return this.call('deposit', { username: USERNAME, sign, amount, Bank: 'BCA', owner_name: 'Demo' });
  }

  async call(path: string, body: Json): Promise<Answer> {
    const response = await this.send(path, JSON.stringify(body));
    return { status: response.status, data: ((await response.json()) as { data: Json }).data };
  }

  send(path: string, body: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${this.url}/v1/${path}`, { method: 'POST', headers, body, ...init });
  }

  /** Moves the clock by more than the minute that must lie between two sends of a reference. */
  async aMinuteLater(): Promise<void> {
    await this.sim('clock', { advance: '61s' });
  }

  override purchase<Found extends CommonPurchase = Purchase>(refId: string): Promise<Found> {
    return super.purchase<Found>(refId);
  }

  async deposit(): Promise<number> {
    return (await this.sim<{ deposit: number }>('account')).deposit;
  }
}

/** The simulators and receivers of one test, which `clear` stops. */
export class DigiflazzBench extends SellerBench<DigiflazzClient> {
  constructor() {
    super(startDigiflazz, DigiflazzClient);
  }

  /** A simulator that sends callbacks to `/hook` of a receiver. */
  async startWithWebhook(readings: Json = {}): Promise<{ client: DigiflazzClient; receiver: WebhookReceiver }> {
    const receiver = await this.receiver();
    const webhook = { url: receiver.url('/hook'), secret: 'hook-secret-1' };
    return { client: await this.start(readings, { webhook }), receiver };
  }
}
