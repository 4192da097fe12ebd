import type { ProductKind } from '../../src/core/product-kind.js';
import { CALLBACKS_PATH } from '../../src/core/http/secret-path.js';
import type { SecretBox } from '../../src/core/secret-box.js';
import { callbackBodyPlace } from '../../src/fulfilment/callbacks/supplier-callback.entity.js';
import { CallbackAddressesService } from '../../src/suppliers/callback-addresses.service.js';
import type { CallbackReading } from '../../src/suppliers/supplier-adapter.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { CommandLine } from '../cli/command-line.js';
import { read } from '../deliveries/handed-over.js';
import { SIGNATURE_HEADER, signatureOf, WEBHOOK_SECRET } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { Client, type Answer } from '../support/http.js';
import { keepWaits } from '../support/waits.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

/** A callback as it is stored. */
export interface StoredCallback {
  id: bigint;
  verdict: string;
  reference: string | null;
  supplier_id: number;
  order_id: bigint | null;
  item: number | null;
  unit: number | null;
  attempt: number | null;
  delivery_id: string | null;
  detail: string | null;
  remote_address: string;
  body_sealed: Buffer | null;
}

export const openedBody = (callback: StoredCallback, box: SecretBox): Buffer =>
  box.openBytes(callback.body_sealed ?? Buffer.alloc(0), callbackBodyPlace(callback));

/** A merchant's unit, with its supplier's outcome. */
export interface OpenUnit {
  order: OrderBody;
  user: string;
  reference: string;
}

type Json = Record<string, unknown>;

/** The players of {@link CallbackScene.openUnit} have such names. */
const WAITING = 'waiting-player';

/**
 * The service with suppliers that send callbacks: `signing` proves its identity, `plain` does not, and `patient` allows one
 * inquiry in ten minutes. A suite must call `useCallingAdapters()` first.
 */
export class CallbackScene {
  private constructor(
    readonly stack: TestStack,
    readonly merchant: TestMerchant,
  ) {}

  static async start(
    env: Record<string, string> = {},
    options: Parameters<typeof TestStack.start>[1] = {},
  ): Promise<CallbackScene> {
    const stack = await TestStack.start(env, options);
    await keepWaits(stack, 3_600, `o.user_id LIKE '${WAITING}%'`);
    const scene = new CallbackScene(stack, await stack.merchant('100000.00'));
    await scene.set('signing', 'calling', { webhook_secret: WEBHOOK_SECRET });
    await scene.set('plain', 'calling');
    await scene.set('patient', 'patient');
    return scene;
  }

  async set(code: string, adapter: string, credentials: Record<string, string> = {}): Promise<void> {
    const settings = { code, adapter, baseUrl: this.stack.supplier.url, credentials, timeoutMs: 27_000 };
    await this.stack.api.get(SuppliersService).set(settings);
  }

  async token(code: string): Promise<string> {
    const supplier = await this.stack.api.get(SuppliersService).getByCode(code);
    return this.stack.api.get(CallbackAddressesService).tokenOf(supplier) ?? '';
  }

  async path(code: string): Promise<string> {
    return `${CALLBACKS_PATH}/${code}/${await this.token(code)}`;
  }

  /** Sends a supplier's callback, signed as `signing` signs. */
  async call(code: string, callback: CallbackReading | Json | string): Promise<Answer<Json>> {
    const body = typeof callback === 'string' ? callback : JSON.stringify(callback);
    const headers = { [SIGNATURE_HEADER]: signatureOf(body) };
    return new Client(this.stack.url, null).post<Json>(await this.path(code), body, headers);
  }

  /** The body of a callback about a successful attempt. */
  succeed(code: string, reference: string, more: Json = {}): Promise<Answer<Json>> {
    const outcome = { kind: 'succeeded', supplierReference: `S-${reference}` };
    return this.call(code, { kind: 'about', reference, outcome, ...more });
  }

  /** An order of one unit that its supplier keeps processing. Its next inquiry is in an hour. */
  async openUnit(supplier: string, kind: ProductKind = 'topup'): Promise<OpenUnit> {
    const { stack, merchant } = this;
    const sku = await stack.product('35.00', { supplier, kind });
    const user = unique(WAITING);
    stack.supplier.script(user, ({ reference }) => ({
      status: 200,
      body: { reference, status: 'processing' },
    }));
    const order = await stack.order(merchant, [{ sku }], user);
    const unit = { order, user, reference: `${order.order_number}.1.1` };
    await this.untilInDoubt(unit, 1);
    return unit;
  }

  /** Waits until this attempt of the unit is the latest one, and is sent without a final answer. */
  async untilInDoubt({ order }: OpenUnit, attempt: number): Promise<void> {
    await eventually(
      () =>
        this.stack.sql(
          `SELECT FROM order_units u JOIN orders o ON o.id = u.order_id
           WHERE o.order_number = $1 AND u.attempt = $2 AND u.state = 'unknown' AND u.claimed_by IS NULL`,
          [order.order_number, attempt],
        ),
      ({ length }) => length === 1,
    );
  }

  /** Settles a unit by an operator's decision, which has these options. */
  async resolve({ order }: OpenUnit, ...decision: string[]): Promise<void> {
    const { DATABASE_URL, secretsKey } = this.stack.config;
    const commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
    const options = ['--unit', '1.1', ...decision, '--reason', 'reported by the supplier', '--yes'];
    await commandLine.json('order', 'resolve', order.order_number, ...options);
  }

  /** The codes of the unit, as its merchant reads them. */
  async codesOf({ order }: OpenUnit): Promise<(string | null)[] | undefined> {
    return (await read(this.merchant, order)).items[0]?.deliveries?.map(({ code }) => code);
  }

  /** From now on, the supplier reports the unit as sold. */
  sell({ user, reference }: OpenUnit): void {
    const body = { reference, status: 'succeeded', supplier_reference: `S-${reference}` };
    this.stack.supplier.script(user, () => ({ status: 200, body }));
  }

  inquiries({ order }: OpenUnit): number {
    return this.stack.supplier.about(order.order_number).filter(({ kind }) => kind === 'inquiry').length;
  }

  async unit({ order }: OpenUnit): Promise<{ state: string; due_in_s: number | null; claim: number }> {
    const [unit] = await this.stack.sql<{ state: string; due_in_s: number | null; claim: number }>(
      `SELECT u.state, u.claim, extract(epoch FROM u.next_action_at - statement_timestamp())::int AS due_in_s
       FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1`,
      [order.order_number],
    );
    if (!unit) throw new Error(`${order.order_number} has no unit`);
    return unit;
  }

  /** A supplier's stored callbacks, the oldest first. */
  stored(code: string): Promise<StoredCallback[]> {
    return this.stack.sql<StoredCallback>(
      `SELECT c.* FROM supplier_callbacks c JOIN suppliers s ON s.id = c.supplier_id
       WHERE s.code = $1 ORDER BY c.id`,
      [code],
    );
  }

  async last(code: string): Promise<StoredCallback | undefined> {
    return (await this.stored(code)).at(-1);
  }
}
