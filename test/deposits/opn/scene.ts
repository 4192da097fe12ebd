import { eventually } from '../../support/eventually.js';
import type { Answer } from '../../support/http.js';
import { unique, type TestMerchant } from '../../support/stack.js';
import { untilServed } from '../../support/until-served.js';
import {
  OpnBench,
  PUBLIC_KEY,
  SECRET_KEY,
  WEBHOOK_SECRET,
  type Json,
  type OpnClient,
} from '../../simulators/opn-client.js';
import { DepositsScene, type DepositView, type PaymentView } from '../scene.js';

export type Deposit = DepositView & { qr_image: string | null };
export const CALLBACKS_AT = 'https://callbacks.example';

/** A service with one channel at a simulated Opn. */
export class OpnScene {
  private constructor(
    readonly deposits: DepositsScene,
    readonly opn: OpnClient,
    readonly code: string,
    readonly merchant: TestMerchant,
    private readonly bench: OpnBench,
  ) {}

  /** @param readings of the simulator. @param logTo gets the warnings of the service. */
  static async start(readings: Json = {}, logTo?: { write(line: string): void }): Promise<OpnScene> {
    const env = { DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0', SUPPLIER_CALLBACK_BASE_URL: CALLBACKS_AT };
    const deposits = await DepositsScene.start(
      { ...env, ...(logTo && { LOG_LEVEL: 'warn' }) },
      { ...(logTo && { logTo }) },
    );
    return OpnScene.at(deposits, deposits.stack.url, readings);
  }

  /** Adds the channel to a service whose `SUPPLIER_CALLBACK_BASE_URL` is {@link CALLBACKS_AT}. @param apiUrl where callbacks go. */
  static async at(deposits: DepositsScene, apiUrl: string, readings: Json = {}): Promise<OpnScene> {
    const bench = new OpnBench();
    const opn = await bench.start(readings);
    const merchant = await deposits.stack.merchant('0.00');
    const scene = new OpnScene(deposits, opn, unique('opn').toLowerCase(), merchant, bench);
    await scene.set(scene.code, `webhook_secret=${WEBHOOK_SECRET}`);
    await scene.postponeList(scene.code);
    await opn.sim('account', { webhook_url: apiUrl + (await scene.path()) });
    return scene;
  }

  /** Sets a channel of the account with the keys. */
  set(code: string, ...credentials: string[]): Promise<Json> {
    const keys = [`public_key=${PUBLIC_KEY}`, `secret_key=${SECRET_KEY}`, ...credentials];
    const given = keys.flatMap((each) => ['--credential', each]);
    const of = ['--code', code, '--adapter', 'opn', '--base-url', this.opn.url];
    return this.deposits.operator.json<Json>('channel', 'set', ...of, ...given);
  }

  /** Keeps workers from reading the list of a new channel, so that a test can read it at any time. */
  async postponeList(code: string): Promise<void> {
    const next = `now() + interval '1 day'`;
    await this.deposits.stack.sql(`UPDATE deposit_channels SET list_due_at = ${next} WHERE code = $1`, [code]);
  }

  channel(): Promise<Json> {
    return this.deposits.operator.json<Json>('channel', 'show', this.code);
  }

  /** The path of its callback address. */
  async path(): Promise<string> {
    return String((await this.channel()).callback_url).slice(CALLBACKS_AT.length);
  }

  create(members: object = {}, reference = unique('deposit')): Promise<Answer<Deposit>> {
    const body = { reference_id: reference, amount: '1000.00', channel: this.code, ...members };
    return this.merchant.client.post<Deposit>('/v1/deposits', body);
  }

  async made(members: object = {}): Promise<Deposit> {
    const reference = unique('deposit');
    const { status, body } = await untilServed(() => this.create(members, reference));
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  /** Makes a deposit about which the service hears nothing, and does not ask before {@link ask}. */
  async unheard(): Promise<Deposit> {
    await this.opn.sim('rules', { match: { call: 'charge' }, callback: { mode: 'never' } });
    const made = await this.made();
    await this.askAt(made, `now() + interval '1 day'`);
    return made;
  }

  async get({ reference_id }: Pick<Deposit, 'reference_id'>): Promise<Deposit> {
    return (await this.merchant.client.get<Deposit>(`/v1/deposits/${reference_id}`)).body;
  }

  async settle(
    { deposit_number }: Pick<Deposit, 'deposit_number'>,
    state: Json = { status: 'successful' },
  ): Promise<Json[]> {
    await this.pass();
    return this.opn.sim<Json[]>('settle', { ref_id: deposit_number, ...state });
  }

  until(deposit: Deposit, status: string, paid = status === 'paid' ? '1000.00' : '0.00'): Promise<Deposit> {
    return eventually(
      () => this.get(deposit),
      (found) => found.status === status && found.paid_amount === paid,
    );
  }

  /** Makes the last calls about all deposits old, so that the next calls need not keep their distance. */
  async pass(): Promise<void> {
    await this.deposits.stack.sql(`UPDATE deposits SET asked_at = asked_at - interval '1 minute'`);
  }

  /** Makes the next inquiry about a deposit due. */
  ask(deposit: Deposit): Promise<void> {
    return this.askAt(deposit, 'now()');
  }

  private async askAt({ deposit_number }: Deposit, moment: string): Promise<void> {
    const query = `UPDATE deposits SET next_inquiry_at = ${moment} WHERE deposit_number = $1`;
    await this.deposits.stack.sql(query, [deposit_number]);
  }

  /** The kinds of a deposit's events, in their order. */
  async events({ deposit_number }: Deposit): Promise<string[]> {
    const { body } = await this.merchant.client.get<{ data: { event: string; data: Deposit }[] }>(
      '/v1/events?limit=100',
    );
    return body.data.filter(({ data }) => data.deposit_number === deposit_number).map(({ event }) => event);
  }

  /** The vendor's calls of a kind about a deposit. */
  async calls({ deposit_number }: Deposit, kind: string): Promise<Json[]> {
    return (await this.opn.journal(deposit_number)).filter(({ call }) => call === kind);
  }

  /** Waits until there was a call of a kind about a deposit. A slow machine may repeat one that got no answer in time. */
  async untilCalled(deposit: Deposit, kind: string): Promise<void> {
    await eventually(
      () => this.calls(deposit, kind),
      ({ length }) => length > 0,
    );
  }

  untilWaiting(count: number): Promise<PaymentView[]> {
    return eventually(
      () => this.payments('--waiting'),
      ({ length }) => length === count,
    );
  }

  payments(...options: string[]): Promise<PaymentView[]> {
    return this.deposits.payments(this.code, ...options);
  }

  available(): Promise<string> {
    return this.deposits.available(this.merchant);
  }

  async close(): Promise<void> {
    await this.deposits.close();
    await this.clear();
  }

  /** Stops the simulator. */
  async clear(): Promise<void> {
    await this.bench.clear();
  }
}
