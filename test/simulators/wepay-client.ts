import { startWepay } from '../../tools/simulators/wepay/simulator.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { type Json, type Purchase as CommonPurchase, SellerBench, SimulatorClient } from './simulator-client.js';

export type { Json } from './simulator-client.js';

export const USERNAME = 'demo-wepay';
export const PASSWORD = 'p4ss-Test';

const API = 'client_api.json.php';
type Fields = Record<string, string>;

/** The simulator's record of one reference. */
export interface Purchase extends CommonPurchase {
  status: string;
  transaction_id: string;
  price_debited: string;
}

/** Sends a simulator the requests of the vendor's clients, and controls it. */
export class WepayClient extends SimulatorClient {
  /** The default address for callbacks of purchases. */
  respUrl = 'http://127.0.0.1:9/callback';

  /** A purchase of Free Fire for 90 baht, unless `more` changes it. */
  buy(dest_ref: string, more: Fields = {}): Promise<Json> {
    return this.call(this.purchaseFields(dest_ref, more));
  }

  purchaseFields(dest_ref: string, more: Fields = {}): Fields {
    const order = {
      type: 'gtopup',
      pay_to_company: 'FREEFIRE',
      pay_to_amount: '90',
      pay_to_ref1: '12345678',
    };
    return { username: USERNAME, password: PASSWORD, ...order, dest_ref, resp_url: this.respUrl, ...more };
  }

  output(transaction_id: string): Promise<Json> {
    return this.call({ username: USERNAME, password: PASSWORD, type: 'get_output', transaction_id });
  }

  balance(more: Fields = {}): Promise<Json> {
    return this.call({ username: USERNAME, password: PASSWORD, type: 'balance_inquiry', ...more });
  }

  async catalogue(): Promise<Record<string, Json[]>> {
    const response = await fetch(`${this.url}/comp_export.php?json`);
    return ((await response.json()) as { data: Record<string, Json[]> }).data;
  }

  async call(fields: Fields): Promise<Json> {
    const response = await this.send({ body: new URLSearchParams(fields) });
    return (await response.json()) as Json;
  }

  send(init: RequestInit): Promise<Response> {
    return fetch(`${this.url}/${API}`, { method: 'POST', ...init });
  }

  /** Buys, and lets the purchase end. @returns the answer of get_output. */
  async bought(dest_ref: string, more: Fields = {}): Promise<Fields> {
    const { transaction_id } = await this.buy(dest_ref, more);
    await this.untilSettled();
    const { output } = await this.output(transaction_id as string);
    return Object.fromEntries(new URLSearchParams(output as string));
  }

  override purchase<Found extends CommonPurchase = Purchase>(refId: string): Promise<Found> {
    return super.purchase<Found>(refId);
  }
}

/** The simulators and receivers of one test, which `clear` stops. */
export class WepayBench extends SellerBench<WepayClient> {
  constructor() {
    super(startWepay, WepayClient);
  }

  /** A simulator that sends callbacks to `/hook` of a receiver. */
  async startWithCallbacks(readings: Json = {}): Promise<{ client: WepayClient; receiver: WebhookReceiver }> {
    const receiver = await this.receiver();
    const client = await this.start(readings);
    client.respUrl = receiver.url('/hook');
    return { client, receiver };
  }
}
