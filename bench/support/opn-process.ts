import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startHelper } from './child.js';
import { topupHere } from './command-line.js';
import type { BenchStack } from './stack.js';
import type { Wallet } from './wallets.js';

const CHANNEL = 'opn';
const CALLBACKS_AT = 'https://callbacks.example';
/** How long the vendor takes to answer an inquiry. */
const ANSWER_MS = 200;
/** Workers inquire about a deposit two seconds after its creation at the earliest. */
const DISTANCE_MS = 2_000;
const AT_ONCE = 8;
const POLL_MS = 20;

/** The stack needs these variables. */
export const CALLBACKS = { SUPPLIER_CALLBACK_BASE_URL: CALLBACKS_AT };

/** A channel at a simulated Opn, which the benchmark has call back. Its stack needs a worker. */
export class OpnProcess {
  private constructor(
    private readonly stack: BenchStack,
    private readonly simulator: { child: ChildProcess; url: string },
  ) {}

  static async open(stack: BenchStack): Promise<OpnProcess> {
    const simulator = await startHelper('support/opn');
    const opn = new OpnProcess(stack, simulator);
    const { public_key, secret_key, webhook_secret } = await opn.steer<Record<string, string>>('account');
    const keys = Object.entries({ public_key, secret_key, webhook_secret });
    const credentials = keys.flatMap(([name, value]) => ['--credential', `${name}=${value}`]);
    const of = ['--code', CHANNEL, '--adapter', 'opn', '--base-url', simulator.url, ...credentials];
    const { callback_url } = await topupHere<{ callback_url: string }>(stack, 'channel', 'set', ...of);
    await opn.steer('account', { webhook_url: stack.apiUrl + callback_url.slice(CALLBACKS_AT.length) });
    const always = { times: null };
    const answersLate = { match: { call: 'retrieve' }, delay_before_ms: ANSWER_MS, ...always };
    const isSilent = { match: { call: 'charge' }, callback: { mode: 'never' }, ...always };
    await opn.steer('rules', { rules: [answersLate, isSilent] });
    return opn;
  }

  /** Makes deposits of these merchants in rotation. @returns their numbers, once each can be paid. */
  async makeDeposits(wallets: readonly Wallet[], count: number): Promise<string[]> {
    const run = randomBytes(6).toString('hex');
    const numbers: string[] = [];
    const rest = Array(count).keys();
    const make = async (n: number): Promise<void> => {
      const { deposit_number } = await postJson<{ deposit_number?: string }>(
        `${this.stack.apiUrl}/v1/deposits`,
        { reference_id: `${run}-${n}`, amount: '1000.00', channel: CHANNEL },
        { 'x-api-key': wallets[n % wallets.length]?.key ?? '' },
      );
      numbers.push(deposit_number ?? '');
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const n of rest) await make(n);
      }),
    );
    await delay(DISTANCE_MS);
    return numbers;
  }

  /** A deposit is paid at the vendor. */
  async pay(deposit: string): Promise<void> {
    await this.steer('settle', { ref_id: deposit, status: 'successful' });
  }

  /** The vendor sends a signed callback. */
  async callBack(deposit: string): Promise<void> {
    await this.steer('callbacks', { ref_id: deposit });
  }

  /** Resolves once the deposit is paid: its amount is spendable since the same commit. */
  async untilPaid(deposit: string): Promise<void> {
    const paid = `SELECT 1 FROM deposits WHERE deposit_number = $1 AND status = 'paid'`;
    while (!(await this.stack.database.query(paid, [deposit])).rowCount) await delay(POLL_MS);
  }

  close(): void {
    this.simulator.child.disconnect();
  }

  private steer<Result = unknown>(path: string, body?: object): Promise<Result> {
    const url = `${this.simulator.url}/_sim/${path}`;
    return body ? postJson<Result>(url, body) : answered<Result>(fetch(url));
  }
}

const postJson = <Result>(url: string, body: object, headers: Record<string, string> = {}): Promise<Result> =>
  answered(
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );

async function answered<Result>(request: Promise<Response>): Promise<Result> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Result;
}
