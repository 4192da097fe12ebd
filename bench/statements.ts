import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compare, readTruth, type ComparedPayment, type Comparison } from '../test/deposits/truth.js';
import { run } from '../tools/statements/main.js';
import { DIALECTS, type Dialect } from '../tools/statements/model.js';
import { MERCHANTS, type PlannedChannel, type PlannedDeposit } from '../tools/statements/plan.js';
import { topupHere } from './support/command-line.js';
import { NO_LIMITS, setChannels } from './support/deposits.js';
import { report, round } from './support/figures.js';
import { startStack, type BenchStack } from './support/stack.js';
import { createWallets, type Wallet } from './support/wallets.js';

// Generated statements of BENCH_PAYMENTS payments in each dialect, for the seeds 1 to BENCH_SEEDS: how many are booked without a
// person, and whether any is booked wrongly, twice or not at all. Goal: at least 97 of 100, and none. Each seed has a database of its
// own. No seed begins that would probably end after BENCH_MINUTES.

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 100_000);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 20);
const MINUTES = Number(process.env.BENCH_MINUTES ?? Infinity);
const AT_ONCE = 16;
const HOLD_HOURS = 2;
const HOUR_MS = 3_600_000;

type Round = Comparison & { seed: number; dialect: Dialect; refused: number; seconds: number };

const rounds: Round[] = [];
let areBooksRight = true;
const startedMs = performance.now();
const minutes = (): number => (performance.now() - startedMs) / 60_000;
for (let seed = 1; seed <= SEEDS && (minutes() * seed) / Math.max(seed - 1, 1) <= MINUTES; seed++) {
  const stack = await startStack({ DEPOSIT_HOLD_HOURS: String(HOLD_HOURS), ...NO_LIMITS });
  const wallets = await createWallets(stack.database, MERCHANTS);
  for (const dialect of DIALECTS) {
    const beganMs = performance.now();
    const proved = await prove(stack, wallets, String(seed), dialect);
    rounds.push({ seed, dialect, ...proved, seconds: round((performance.now() - beganMs) / 1_000, 0) });
    console.log(JSON.stringify(rounds.at(-1)));
  }
  const isRight = await topupHere(stack, 'audit').then(
    () => true,
    () => false,
  );
  areBooksRight &&= isRight;
  await stack.stop();
}
const errorsOf = ({ wrong, twice, lost }: Comparison): number => wrong.length + twice.length + lost.length;
const errors = rounds.reduce((sum, each) => sum + errorsOf(each), 0);
const shareOf = ({ withoutPerson, payments }: Comparison): number => round((100 * withoutPerson) / payments, 2);
const least = (some: Round[]): number => Math.min(...some.map(shareOf));
report(
  'statements',
  rounds.map((each) => ({
    seed: each.seed,
    dialect: each.dialect,
    payments: each.payments,
    'without a person, %': shareOf(each),
    wrong: each.wrong.length,
    twice: each.twice.length,
    lost: each.lost.length,
    'deposits refused': each.refused,
    seconds: each.seconds,
  })),
  {
    goal: 'at least 97 % without a person, none wrong, twice or lost',
    seeds: rounds.length / DIALECTS.length,
    payments: rounds.reduce((sum, each) => sum + each.payments, 0),
    ...Object.fromEntries(
      DIALECTS.map((dialect) => [
        `${dialect}: without a person, at least %`,
        least(rounds.filter((each) => each.dialect === dialect)),
      ]),
    ),
    'wrong, twice or lost': errors,
    'the books are in order': String(areBooksRight),
    minutes: round(minutes(), 0),
  },
);
process.exit(areBooksRight && errors === 0 && least(rounds) >= 97 ? 0 : 1);

interface Answer {
  expires_at?: string;
  details?: { code: string }[];
}

/** What `write` prints. */
interface Written {
  files: { name: string; channel: string }[];
  /** Planned deposits that were not made. */
  missing: number;
}

async function prove(
  stack: BenchStack,
  wallets: Wallet[],
  seed: string,
  dialect: Dialect,
): Promise<Comparison & { refused: number }> {
  const dir = mkdtempSync(path.join(tmpdir(), 'topup-statements-'));
  const given = ['--seed', seed, '--payments', String(PAYMENTS), '--dialect', dialect, '--dir', dir];
  const read = (name: string): string => readFileSync(path.join(dir, name), 'utf8');
  run(['plan', ...given]);
  const channels = JSON.parse(read('channels.json')) as PlannedChannel[];
  await setChannels(stack, channels);
  const planned = read('deposits.jsonl').trim().split('\n');
  const make = (deposit: PlannedDeposit): Promise<string | null> => makeDeposit(stack, wallets, deposit);
  writeFileSync(path.join(dir, 'answers.jsonl'), (await makeAll(planned, make)).join(''));
  const { files, missing } = run(['write', ...given]) as Written;
  for (const { name, channel } of files)
    await topupHere(stack, 'statement', 'import', path.join(dir, name), '--channel', channel);
  const payments: ComparedPayment[] = [];
  for (const { code } of channels)
    payments.push(
      ...(await topupHere<ComparedPayment[]>(stack, 'payment', 'list', '--channel', code, '--limit', '1000000')),
    );
  const compared = compare(readTruth(read('truth.csv')), payments);
  rmSync(dir, { recursive: true });
  return { ...compared, refused: missing };
}

/** Several at once. A deposit that finds no free amount is not made, and has no payment. */
async function makeAll(
  planned: readonly string[],
  make: (deposit: PlannedDeposit) => Promise<string | null>,
): Promise<string[]> {
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

/** @returns the line of `answers.jsonl`, or null. */
async function makeDeposit(
  { apiUrl }: BenchStack,
  wallets: Wallet[],
  { merchant, cancel, ...body }: PlannedDeposit,
): Promise<string | null> {
  const at = { url: `${apiUrl}/v1/deposits`, key: wallets[merchant - 1]?.key ?? '' };
  const made = await post(at, '', body);
  if (made.details?.[0]?.code === 'NO_FREE_AMOUNT') return null;
  if (made.expires_at === undefined) throw new Error(`the deposit was refused: ${JSON.stringify(made)}`);
  if (cancel) await post(at, `/${body.reference_id}/cancel`, {});
  const heldUntilMs = Date.parse(made.expires_at) + HOLD_HOURS * HOUR_MS;
  return `${JSON.stringify({ ...made, hold_until: new Date(heldUntilMs).toISOString() })}\n`;
}

async function post(at: { url: string; key: string }, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-api-key': at.key };
  const response = await fetch(at.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as Answer;
  // A busy service; repeating the request makes no second deposit.
  const isBusy = response.status === 503 && answer.details === undefined;
  if (!isBusy) return answer;
  await delay(1_000);
  return post(at, path, body);
}
