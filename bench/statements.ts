import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compare, readTruth, type ComparedPayment, type Comparison } from '../test/deposits/truth.js';
import { run } from '../tools/statements/main.js';
import { DIALECTS, type Dialect } from '../tools/statements/model.js';
import { MERCHANTS, type PlannedChannel, type PlannedDeposit } from '../tools/statements/plan.js';
import { report, round } from './support/figures.js';
import { createMerchant, startStack } from './support/stack.js';

// Generated statements of BENCH_PAYMENTS payments in each dialect, for the seeds 1 to BENCH_SEEDS: how many are booked without a
// person, and whether any is booked wrongly, twice or not at all. Goal: at least 97 of 100, and none.

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 100_000);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 20);
const AT_ONCE = 16;
const HOLD_HOURS = 2;
const HOUR_MS = 3_600_000;

const limits = { DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0', DEPOSIT_MAX_HELD: '0' };
const stack = await startStack({ DEPOSIT_HOLD_HOURS: String(HOLD_HOURS), ...limits });
const keys: string[] = [];
for (let n = 1; n <= MERCHANTS; n++) keys.push((await createMerchant(stack)).key);

const rounds: Record<string, number | string>[] = [];
for (let seed = 1; seed <= SEEDS; seed++) {
  for (const dialect of DIALECTS) {
    const startedMs = performance.now();
    const { payments, withoutPerson, wrong, twice, lost } = await prove(String(seed), dialect);
    if (wrong.length + twice.length + lost.length > 0) console.error({ seed, dialect, wrong, twice, lost });
    rounds.push({
      seed,
      dialect,
      payments,
      'without a person, %': round((100 * withoutPerson) / payments, 2),
      'wrong, twice or lost': wrong.length + twice.length + lost.length,
      seconds: round((performance.now() - startedMs) / 1_000, 0),
    });
    console.log(JSON.stringify(rounds.at(-1)));
  }
}
const { ok } = await stack.topup<{ ok: boolean }>('audit');
const least = Math.min(...rounds.map((each) => Number(each['without a person, %'])));
const errors = rounds.reduce((sum, each) => sum + Number(each['wrong, twice or lost']), 0);
report('statements', rounds, {
  goal: 'at least 97 % without a person, none wrong, twice or lost',
  'without a person, at least %': least,
  'wrong, twice or lost': errors,
  'the books are in order': String(ok),
});
await stack.stop();
process.exit(ok && errors === 0 && least >= 97 ? 0 : 1);

async function prove(seed: string, dialect: Dialect): Promise<Comparison> {
  const dir = mkdtempSync(path.join(tmpdir(), 'topup-statements-'));
  const given = ['--seed', seed, '--payments', String(PAYMENTS), '--dialect', dialect, '--dir', dir];
  const read = (name: string): string => readFileSync(path.join(dir, name), 'utf8');
  run(['plan', ...given]);
  const channels = JSON.parse(read('channels.json')) as PlannedChannel[];
  for (const { code, adapter, options } of channels) {
    const values = Object.entries(options).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
    await stack.topup('channel', 'set', '--code', code, '--adapter', adapter, ...values);
  }
  const planned = read('deposits.jsonl').trim().split('\n');
  writeFileSync(path.join(dir, 'answers.jsonl'), (await makeAll(planned)).join(''));
  const { files } = run(['write', ...given]) as { files: { name: string; channel: string }[] };
  for (const { name, channel } of files) {
    await stack.topup('statement', 'import', path.join(dir, name), '--channel', channel);
  }
  const payments: ComparedPayment[] = [];
  for (const { code } of channels)
    payments.push(
      ...(await stack.topup<ComparedPayment[]>('payment', 'list', '--channel', code, '--limit', '1000000')),
    );
  const compared = compare(readTruth(read('truth.csv')), payments);
  rmSync(dir, { recursive: true });
  return compared;
}

/** Several at once. A deposit that finds no free amount is not made, and has no payment. */
async function makeAll(planned: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  const rest = planned.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const line of rest) {
        const made = await make(JSON.parse(line) as PlannedDeposit);
        if (made !== null) answers.push(made);
      }
    }),
  );
  return answers;
}

interface Answer {
  expires_at?: string;
  details?: { code: string }[];
}

/** @returns the line of `answers.jsonl`, or null. */
async function make({ merchant, cancel, ...body }: PlannedDeposit): Promise<string | null> {
  const made = await post('', merchant, body);
  if (made.details?.[0]?.code === 'NO_FREE_AMOUNT') return null;
  if (made.expires_at === undefined) throw new Error(`the deposit was refused: ${JSON.stringify(made)}`);
  if (cancel) await post(`/${body.reference_id}/cancel`, merchant, {});
  const heldUntilMs = Date.parse(made.expires_at) + HOLD_HOURS * HOUR_MS;
  return `${JSON.stringify({ ...made, hold_until: new Date(heldUntilMs).toISOString() })}\n`;
}

async function post(path: string, merchant: number, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-api-key': keys[merchant - 1] ?? '' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${stack.apiUrl}/v1/deposits${path}`, request);
  const answer = (await response.json()) as Answer;
  // A busy service; repeating the request makes no second deposit.
  const isBusy = response.status === 503 && answer.details === undefined;
  if (!isBusy) return answer;
  await delay(1_000);
  return post(path, merchant, body);
}
