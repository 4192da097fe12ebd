import { startLapakgaming } from '../../tools/simulators/lapakgaming/simulator.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { type Json, type Purchase as CommonPurchase, SellerBench, SimulatorClient } from './simulator-client.js';

export type { Json } from './simulator-client.js';

export interface Answer {
  status: number;
  code: string;
  data: Json;
}

export const SECRET_KEY = 'lapak-5c20d7be-test';

/** The simulator's record of one reference. */
export interface Purchase extends CommonPurchase {
  tid: string;
  status: string;
  price_debited: number;
  voucher_codes: string[];
}

/** Sends a simulator the requests of the vendor's clients, and controls it. */
export class LapakgamingClient extends SimulatorClient {
  constructor(
    url: string,
    private readonly secretKey = SECRET_KEY,
  ) {
    super(url);
  }

  /** An order of one ML78_8-S2, unless `more` changes it. */
  order(partner_reference_id: string, more: Json = {}): Promise<Answer> {
    return this.call('order', JSON.stringify(this.orderBody(partner_reference_id, more)));
  }

  orderBody(partner_reference_id: string, more: Json = {}): Json {
    const player = { user_id: '123456789', additional_id: '2001' };
    return { product_code: 'ML78_8-S2', count_order: 1, ...player, partner_reference_id, ...more };
  }

  status(partner_reference_id: string): Promise<Answer> {
    return this.call(`order_status?partner_reference_id=${partner_reference_id}`);
  }

  statusByTid(tid: unknown): Promise<Answer> {
    return this.call(`order_status?tid=${String(tid)}`);
  }

  /** A call to the vendor with a JSON answer; a body makes it a POST. */
  async call(path: string, body?: string): Promise<Answer> {
    const response = await this.send(path, body === undefined ? {} : { method: 'POST', body });
    return { status: response.status, ...((await response.json()) as { code: string; data: Json }) };
  }

  send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.secretKey}`,
      ...(init.method === 'POST' && { 'content-type': 'application/json' }),
    };
    return fetch(`${this.url}/api/${path}`, { headers, ...init });
  }

  override purchase<Found extends CommonPurchase = Purchase>(refId: string): Promise<Found> {
    return super.purchase<Found>(refId);
  }

  async balance(): Promise<number> {
    return (await this.sim<{ balance: number }>('account')).balance;
  }
}

/** The simulators and receivers of one test, which `clear` stops. */
export class LapakgamingBench extends SellerBench<LapakgamingClient> {
  constructor() {
    super(startLapakgaming, LapakgamingClient);
  }

  /** A simulator that sends callbacks to `/order` and `/product` of a receiver. */
  async startWithCallbacks(readings: Json = {}): Promise<{ client: LapakgamingClient; receiver: WebhookReceiver }> {
    const receiver = await this.receiver();
    // The vendor accepts only this answer as a receipt.
    for (const path of ['/order', '/product']) receiver.answer(path, 200);
    const addresses = {
      callback_url: receiver.url('/order'),
      product_callback_url: receiver.url('/product'),
    };
    return { client: await this.start(readings, addresses), receiver };
  }
}
