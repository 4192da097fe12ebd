import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DigiflazzSimulator, startDigiflazz } from '../../tools/simulators/digiflazz/simulator.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  data: Json;
}

export const USERNAME = 'demo-reseller';
export const KEYS = { development: 'dev-4b1c9e70-test', production: 'prod-7d20a3f8-test' };

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** What a test knows about one reference. */
export interface Purchase extends Json {
  ref_id: string;
  status: string;
  rc: string;
  price_debited: number;
  times_bought: number;
  standing: number;
  transactions: Json[];
}

/** Speaks to a simulator as a client of the vendor does, and steers it. */
export class DigiflazzClient {
  constructor(readonly url: string) {}

  /** A purchase by the production key, or by that of development when testing. */
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

  /** The control surface; a body makes it a POST. @throws with what the simulator has against it. */
  async sim<Result = Json>(path: string, body?: Json, method = body ? 'POST' : 'GET'): Promise<Result> {
    const response = await fetch(`${this.url}/_sim/${path}`, { method, body: body && JSON.stringify(body) });
    const result = (await response.json()) as Result & { message?: string };
    if (response.status !== 200) throw new Error(result.message);
    return result;
  }

  /** Lets more than the minute pass that lies between two sends of a reference. */
  async aMinuteLater(): Promise<void> {
    await this.sim('clock', { advance: '61s' });
  }

  async purchase(refId: string): Promise<Purchase> {
    const [found] = await this.sim<Purchase[]>(`purchases?ref_id=${refId}`);
    if (found === undefined) throw new Error(`nothing was bought under ${refId}`);
    return found;
  }

  async journal(refId: string): Promise<Json[]> {
    return this.sim<Json[]>(`journal?ref_id=${refId}`);
  }

  async deposit(): Promise<number> {
    return (await this.sim<{ deposit: number }>('account')).deposit;
  }
}

/** The simulators and receivers of one test, which `clear` stops. */
export class DigiflazzBench {
  private readonly simulators: DigiflazzSimulator[] = [];
  private readonly receivers: WebhookReceiver[] = [];
  private readonly directories: string[] = [];

  /** A simulator in this process. */
  async start(readings: Json = {}, account: Json = {}): Promise<DigiflazzClient> {
    const where = { port: 0, host: '127.0.0.1', dataDir: this.directory() };
    const simulator = await startDigiflazz({ ...where, readings, account });
    this.simulators.push(simulator);
    return new DigiflazzClient(simulator.url);
  }

  /** A simulator that calls back at `/hook` of a receiver. */
  async startWithWebhook(
    readings: Json = {},
  ): Promise<{ client: DigiflazzClient; receiver: WebhookReceiver }> {
    const receiver = await new WebhookReceiver().listen();
    this.receivers.push(receiver);
    const webhook = { url: receiver.url('/hook'), secret: 'hook-secret-1' };
    return { client: await this.start(readings, { webhook }), receiver };
  }

  directory(): string {
    const directory = mkdtempSync(join(tmpdir(), 'digiflazz-'));
    this.directories.push(directory);
    return directory;
  }

  async clear(): Promise<void> {
    await Promise.all(this.simulators.splice(0).map((simulator) => simulator.stop()));
    await Promise.all(this.receivers.splice(0).map((receiver) => receiver.close()));
    for (const directory of this.directories.splice(0)) rmSync(directory, { recursive: true });
  }
}
