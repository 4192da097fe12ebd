import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { expectBooksToBalance } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

export interface DepositView {
  deposit_number: string;
  merchant_id: number;
  reference_id: string;
  reference: string;
  status: string;
  amount: string;
  amount_to_pay: string;
  paid_amount: string;
  qr_payload: string;
  expires_at: string;
  hold_until: string;
  created_at: string;
  payments: { id: string; amount: string; late: boolean }[];
}

export interface PaymentView {
  id: string;
  amount: string;
  currency: string;
  state: string;
  reason: string | null;
  contradicted: boolean;
  booked_by: string | null;
  merchant_id: number | null;
  deposit_number: string | null;
  transfer_id: number | null;
  suggestions: { deposit_number: string; amount_to_pay: string }[];
  decision: { decision: string; operator: string; reason: string } | null;
}

export interface Imported {
  lines: number;
  new: number;
  repeated: number;
  in: number;
  in_amount: string;
  booked: number;
  waiting: number;
  ignored: number;
  out: number;
  covered_until: string | null;
  days_without_lines: string[];
  refused: string | null;
}

/** The columns of {@link BankAccount}. */
export const COLUMNS = 'date=Date;time=Time;text=Details;out=Out;in=In;balance=Balance;reference=Reference';
const MINUTE_MS = 60_000;

export const satang = (baht: string): bigint => BigInt(baht.replace('.', ''));
export const baht = (amount: bigint): string => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;

/** A line of a statement; a negative amount left the account. */
export interface BankLine {
  at: Date;
  amount: bigint;
  text?: string;
  reference?: string;
}

/** A bank account that writes statements. */
export class BankAccount {
  readonly lines: BankLine[] = [];

  /** @param opening the balance before the first line. */
  constructor(private readonly opening = 1_000_000n) {}

  /** Adds lines in the order of time. */
  add(...lines: BankLine[]): this {
    this.lines.push(...lines);
    return this;
  }

  /** The statement of all lines, or of the first ones. */
  statement(count = this.lines.length): string {
    let balance = this.opening;
    const rows = this.lines.slice(0, count).map(({ at, amount, text = 'Transfer', reference = '' }) => {
      balance += amount;
      const [day = '', time = ''] = new Date(at.getTime() + 7 * 60 * MINUTE_MS).toISOString().slice(0, 16).split('T');
      const [out, into] = amount < 0n ? [baht(-amount), ''] : ['', baht(amount)];
      return [day, time, text, out, into, baht(balance), reference].join(',');
    });
    return ['Date,Time,Details,Out,In,Balance,Reference', ...rows].join('\n');
  }
}

/** A service with one channel for PromptPay, and the operator who runs it. */
export class DepositsScene {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'topup-deposits-'));
  private files = 0;

  private constructor(
    readonly stack: TestStack,
    readonly operator: CommandLine,
    private readonly env: Record<string, string>,
  ) {}

  static async start(
    env: Record<string, string> = {},
    options?: Parameters<typeof TestStack.start>[1],
  ): Promise<DepositsScene> {
    const stack = await TestStack.start(env, options);
    const key = stack.config.secretsKey?.toString('base64') ?? '';
    const ofOperator = { DATABASE_URL: stack.config.DATABASE_URL, SECRETS_KEY: key, ...env };
    const operator = new CommandLine(ofOperator);
    return new DepositsScene(stack, operator, ofOperator);
  }

  async close(): Promise<void> {
    rmSync(this.directory, { recursive: true });
    await this.stack.close();
  }

  /** A channel that recognizes payments by their amounts, with an account of its own. */
  async channel(...options: string[]): Promise<string> {
    const code = unique('bank').toLowerCase();
    const given = optionsOf(`promptpay_id=${newPromptPayId()}`, ...options);
    await this.operator.json('channel', 'set', '--code', code, '--adapter', 'promptpay', ...given);
    return code;
  }

  /** One that recognizes them by our references. */
  async billerChannel(...options: string[]): Promise<string> {
    const code = unique('biller').toLowerCase();
    const given = optionsOf(`biller_id=${111_111_111_110_000 + ++ids}`, ...options);
    await this.operator.json('channel', 'set', '--code', code, '--adapter', 'promptpay', ...given);
    return code;
  }

  deposit(
    channel: string,
    { id }: Pick<TestMerchant, 'id'>,
    amount = '1000.00',
    ...options: string[]
  ): Promise<DepositView> {
    const of = [
      '--merchant',
      String(id),
      '--reference-id',
      unique('deposit'),
      '--amount',
      amount,
      '--channel',
      channel,
    ];
    return this.operator.json<DepositView>('deposit', 'create', ...of, ...options);
  }

  show(number: string): Promise<DepositView> {
    return this.operator.json<DepositView>('deposit', 'show', number);
  }

  /** Moves the times of a deposit into the past, which no test can wait for. */
  async age({ deposit_number }: DepositView, ms: number): Promise<void> {
    await this.stack.sql(
      `UPDATE deposits SET created_at = created_at - $2 * interval '1 ms', expires_at = expires_at - $2 * interval '1 ms',
                           hold_until = hold_until - $2 * interval '1 ms' WHERE deposit_number = $1`,
      [deposit_number, ms],
    );
  }

  withStatus({ deposit_number }: DepositView, status: string): Promise<DepositView> {
    return eventually(
      () => this.show(deposit_number),
      (shown) => shown.status === status,
    );
  }

  /** The numbers of those deposits that hold their amounts, the oldest first. */
  async holding(...deposits: DepositView[]): Promise<string[]> {
    const held = await this.stack.sql<{ deposit_number: string }>(
      `SELECT deposit_number FROM deposits WHERE deposit_number = ANY($1) AND holds_amount ORDER BY id`,
      [deposits.map(({ deposit_number }) => deposit_number)],
    );
    return held.map(({ deposit_number }) => deposit_number);
  }

  file(content: string): string {
    const file = path.join(this.directory, `${++this.files}.csv`);
    writeFileSync(file, content);
    return file;
  }

  import(channel: string, content: string, ...options: string[]): Promise<Imported> {
    return this.operator.json<Imported>('statement', 'import', this.file(content), '--channel', channel, ...options);
  }

  /** Imports in a process of its own, which is killed when at least `lines` lines are stored. */
  killedImport(channel: string, content: string, lines: number): Promise<void> {
    return this.disturbedImport(channel, content, lines, (child) => child.kill('SIGKILL'));
  }

  /** Imports in a process of its own, and disturbs it when at least `lines` lines are stored. */
  async disturbedImport(
    channel: string,
    content: string,
    lines: number,
    disturb: (child: ChildProcess) => unknown,
  ): Promise<void> {
    const args = ['bin/topup.js', 'statement', 'import', this.file(content), '--channel', channel];
    const database = new URL(this.stack.config.DATABASE_URL);
    const name = unique('import');
    database.searchParams.set('application_name', name);
    const env = { PATH: process.env.PATH, USER: 'operator-1', ...this.env, DATABASE_URL: database.href };
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await eventually(
      // PostgreSQL may be away.
      () => this.storedLines(channel).catch(() => 0),
      (stored) => stored >= lines || child.exitCode !== null,
    );
    await disturb(child);
    await ended;
    // PostgreSQL may still carry out the last statement of a killed process.
    await eventually(
      () => this.stack.sql('SELECT FROM pg_stat_activity WHERE application_name = $1', [name]).catch(() => [{}]),
      ({ length }) => length === 0,
    );
  }

  async storedLines(channel: string): Promise<number> {
    const [found] = await this.stack.sql<{ count: bigint }>(
      `SELECT count(*) FROM statement_lines JOIN deposit_channels c ON c.id = channel_id WHERE code = $1`,
      [channel],
    );
    return Number(found?.count);
  }

  /** Imports a file that must be refused. @returns the code, and what standard error has. */
  async refusedImport(channel: string, content: string): Promise<{ code: string | null; stderr: string }> {
    const args = ['statement', 'import', this.file(content), '--channel', channel, '--json'];
    const { code, stdout, stderr } = await this.operator.run(...args);
    if (code !== 1) throw new Error(`the file was taken: ${stdout}`);
    return { code: (JSON.parse(stdout) as Imported).refused, stderr };
  }

  payments(channel: string, ...options: string[]): Promise<PaymentView[]> {
    return this.operator.json<PaymentView[]>('payment', 'list', '--channel', channel, ...options);
  }

  async available({ id }: Pick<TestMerchant, 'id'>): Promise<string> {
    const wallet = await this.operator.json<{ available_amount: string }>('wallet', 'show', '--merchant', String(id));
    return wallet.available_amount;
  }

  /** Credits of payments to a merchant, as its statement has them. */
  async credits({ id }: Pick<TestMerchant, 'id'>): Promise<{ amount: string; reference_id: string }[]> {
    const args = ['wallet', 'statement', '--merchant', String(id)];
    const entries = await this.operator.json<{ amount: string; reference_id: string }[]>(...args);
    return entries
      .filter(({ reference_id }) => reference_id.startsWith('deposit:'))
      .map(({ amount, reference_id }) => ({ amount, reference_id }));
  }

  /** Checks of the audit that fail. */
  async wrong(): Promise<string[]> {
    const { stdout } = await this.operator.run('audit', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  }
}

/** Ends a test file: expects right books and a right audit, and closes `all` even if they are wrong. @param all the scene, or what has it. */
export async function closeWithRightBooks(
  scene: DepositsScene,
  all: { close(): Promise<void> } = scene,
): Promise<void> {
  try {
    expect(await scene.wrong()).toEqual([]);
    await expectBooksToBalance(scene.stack);
  } finally {
    await all.close();
  }
}

/** The columns of {@link BankAccount}, unless others are given. */
const optionsOf = (...options: string[]): string[] => {
  const columns = options.some((option) => option.startsWith('columns=')) ? [] : [`columns=${COLUMNS}`];
  return [...columns, ...options].flatMap((option) => ['--option', option]);
};

let ids = 0;

/** A PromptPay id that no other channel has. */
export const newPromptPayId = (): string => `0${888_880_000 + ++ids}`;

/** The moment that a payment is made: now, in the minute of the deposit's creation at the earliest. */
export const paying = ({ amount_to_pay }: DepositView, changes: Partial<BankLine> = {}): BankLine => ({
  at: new Date(),
  amount: satang(amount_to_pay),
  ...changes,
});

export const before = (moment: string | Date, ms: number): Date => new Date(new Date(moment).getTime() - ms);
