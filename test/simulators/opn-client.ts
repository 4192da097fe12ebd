import { createHmac } from 'node:crypto';
import { startOpn } from '../../tools/simulators/opn/vendor.js';
import type { Received, WebhookReceiver } from '../support/webhook-receiver.js';
import { type Json, SimulatorBench, SimulatorClient } from './simulator-client.js';

export type { Json } from './simulator-client.js';

export const PUBLIC_KEY = 'pkey_test_simulator';
export const SECRET_KEY = 'skey_test_simulator';
export const WEBHOOK_SECRET = Buffer.from('opn-webhook-secret-of-the-simulator').toString('base64');

export interface Answer extends Json {
  http: number;
  id: string;
}

/** The signature of a webhook's bytes at its timestamp. */
export function signatureOf({ headers, body }: Received, secret = WEBHOOK_SECRET): string {
  const text = `${String(headers['omise-signature-timestamp'])}.${body}`;
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('hex');
}

/** Sends a simulator the requests of the vendor's clients, and controls it. */
export class OpnClient extends SimulatorClient {
  source(amount = 100_037, key = PUBLIC_KEY): Promise<Answer> {
    return this.call('POST', 'sources', { type: 'promptpay', amount, currency: 'THB' }, key);
  }

  /** A charge of a new source for the deposit `deposit`. */
  async charge(deposit: string, more: Json = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const amount = (more.amount as number | undefined) ?? 100_037;
    const { id: source } = await this.source(amount);
    const metadata = { deposit, merchant: '7', reference_id: 'invoice-1' };
    const body = { amount, currency: 'THB', source, metadata, ...more };
    return this.call('POST', 'charges', body, SECRET_KEY, headers);
  }

  get(path: string, key = SECRET_KEY): Promise<Answer> {
    return this.call('GET', path, undefined, key);
  }

  async call(
    method: string,
    path: string,
    body?: Json,
    key = SECRET_KEY,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    const response = await fetch(`${this.url}/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  }
}

export class OpnBench extends SimulatorBench<OpnClient> {
  constructor() {
    super(startOpn, OpnClient);
  }

  /** A simulator that sends webhooks to `/hook` of a receiver. */
  async startWithWebhooks(readings: Json = {}): Promise<{ client: OpnClient; receiver: WebhookReceiver }> {
    const receiver = await this.receiver();
    return { client: await this.start(readings, { webhook_url: receiver.url('/hook') }), receiver };
  }
}
