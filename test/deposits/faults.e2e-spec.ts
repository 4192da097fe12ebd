import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres } from '../../tools/local-stack/postgres.js';
import type { RunningServer } from '../../tools/local-stack/server-process.js';
import { ManagedProcess } from '../chaos/managed-process.js';
import { Random } from '../chaos/random.js';
import { expectBooksToBalance } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { Client, type Answer } from '../support/http.js';
import { emptyRedis } from '../support/redis.js';
import { keptPort } from '../support/kept-port.js';
import type { TestMerchant } from '../support/stack.js';
import { BankAccount, DepositsScene, paying, type DepositView, type Imported } from './scene.js';

// Each cycle makes deposits, and imports the statement that pays some of them. Meanwhile processes are killed, at moments that the
// seed decides. `FAULTS_SEED=7 FAULTS_CYCLES=1000 npm test -- test/deposits/faults` runs another and longer series.

const SEED = Number(process.env.FAULTS_SEED ?? 1);
const CYCLES = Number(process.env.FAULTS_CYCLES ?? 3);
const checkout = fileURLToPath(new URL('../..', import.meta.url));

let server: RunningServer;
let scene: DepositsScene;
let api: ManagedProcess;
let worker: ManagedProcess;
let url: string;
let channel: string;
const account = new BankAccount();
/** What each merchant was paid, as the bank and the sandbox know it. */
const paid: { shop: TestMerchant; deposit: DepositView }[] = [];
const unpaid: { shop: TestMerchant; deposit: DepositView }[] = [];

const directory = mkdtempSync(path.join(tmpdir(), 'topup-deposit-faults-'));

/** Starts PostgreSQL with the same files and port, as its supervisor does. */
const startServer = (port: number): Promise<RunningServer> =>
  startPostgres({ dataDir: path.join(directory, 'postgres'), port, settings: { max_connections: '100' } });

/** A process like in production. It must not end by itself. */
function processOf(name: string, script: string, readyText: string, port: number): ManagedProcess {
  const { config } = scene.stack;
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    DATABASE_URL: server.url,
    REDIS_URL: config.REDIS_URL,
    QUEUE_PREFIX: config.QUEUE_PREFIX,
    SECRETS_KEY: config.secretsKey?.toString('base64'),
    ...limits,
    RATE_LIMIT_PER_SECOND: '0',
    MANAGEMENT_PORT: '0',
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  const logFile = path.join(directory, `${name}.log`);
  return new ManagedProcess({ name, args: [path.join(checkout, script)], cwd: directory, env, logFile, readyText });
}

const limits = { DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0', DEPOSIT_MAX_HELD: '0' };

beforeAll(async () => {
  server = await startServer(await keptPort());
  scene = await DepositsScene.start({ DATABASE_URL: server.url, ...limits });
  await scene.stack.stopWorkers();
  channel = await scene.channel('spread=5');
  const port = await keptPort([server.port]);
  url = `http://127.0.0.1:${port}`;
  api = processOf('api', 'dist/src/main.js', 'the API is listening', port);
  worker = processOf('worker', 'dist/src/worker.js', 'the worker is working', 0);
  for (const each of [api, worker]) each.start();
});

afterAll(async () => {
  for (const each of [api, worker]) await each.kill();
  await scene.close();
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** Repeats a request until the API answers it, whatever happens to the API and to PostgreSQL. */
const served = <Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(
    () => send().catch(() => null),
    (answer) => answer !== null && answer.status < 500,
  ) as Promise<Answer<Body>>;

async function create(shop: TestMerchant, reference: string): Promise<DepositView> {
  const client = new Client(url, shop.key);
  const { status, body } = await served(() =>
    client.post<DepositView>('/v1/deposits', { reference_id: reference, amount: '2000.00' }),
  );
  expect([status, body]).toEqual([200, body]);
  return body;
}

const get = async (shop: TestMerchant, { reference_id }: DepositView): Promise<DepositView> =>
  (await served(() => new Client(url, shop.key).get<DepositView>(`/v1/deposits/${reference_id}`))).body;

const FAULTS: Readonly<Record<string, () => Promise<void>>> = {
  api: () => restart(api),
  worker: () => restart(worker),
  redis: () => emptyRedis(scene.stack),
};

async function crashPostgres(): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await server.ended;
  server = await startServer(server.port);
}

async function restart(killed: ManagedProcess): Promise<void> {
  await killed.kill();
  killed.start();
}

/** Imports until a run ends well: PostgreSQL may be away. */
const importAll = async (): Promise<Imported> => {
  const file = scene.file(account.statement());
  const run = () => scene.operator.run('statement', 'import', file, '--channel', channel, '--json');
  const { stdout } = await eventually(run, ({ code }) => code === 0);
  return JSON.parse(stdout) as Imported;
};

/** Makes deposits, and adds lines that pay some of them, among strangers' payments. */
async function prepare(cycle: number, random: Random): Promise<void> {
  const [shop, sandbox] = [await scene.stack.merchant('0.00'), await scene.stack.sandboxMerchant('0.00')];
  const references = Array.from({ length: random.int(4, 8) }, (_, n) => `cycle-${cycle}-${n}`);
  const fault = random.chance(0.5) ? FAULTS.api : crashPostgres;
  const make = references.map(async (reference) => ({ shop, deposit: await create(shop, reference) }));
  const [made, tried] = await Promise.all([Promise.all(make), create(sandbox, `cycle-${cycle}`), fault?.()]);
  paid.push({ shop: sandbox, deposit: tried });
  for (let n = random.int(600, 1_600); n > 0; n--)
    account.add({ at: new Date(), amount: BigInt(random.int(200, 9_999)) });
  const first = account.lines.length - 600;
  for (const each of made) {
    if (random.chance(0.3)) unpaid.push(each);
    else {
      paid.push(each);
      account.lines.splice(random.int(first, account.lines.length), 0, paying(each.deposit));
    }
  }
}

describe(`deposits under faults, seed ${SEED}`, () => {
  const seeds = new Random(SEED);
  const cycles = Array.from({ length: CYCLES }, (_, index) => index + 1);

  it.each(cycles)('cycle %i: each payment is booked once, and none is lost', async (cycle) => {
    const random = seeds.fork(`cycle ${cycle}`);
    await prepare(cycle, random);
    const names = Object.keys(FAULTS).filter(() => random.chance(0.6));
    const statement = account.statement();
    /** A moment of the import: so many lines are stored. */
    const anyMoment = async (): Promise<number> => random.int(await scene.storedLines(channel), account.lines.length);
    await Promise.all([
      scene.killedImport(channel, statement, await anyMoment()),
      ...names.map((name) => FAULTS[name]?.()),
    ]);
    await scene.disturbedImport(channel, statement, await anyMoment(), crashPostgres);
    await importAll();
    expect(await importAll()).toMatchObject({ new: 0, repeated: account.lines.length });

    for (const { shop, deposit } of paid) {
      const { amount_to_pay: amount } = deposit;
      const shown = await eventually(
        () => get(shop, deposit),
        ({ status }) => status === 'paid',
      );
      expect([names, shown]).toMatchObject([names, { paid_amount: amount, payments: [{ amount }] }]);
      expect(shown.payments).toHaveLength(1);
    }
    for (const { shop, deposit } of unpaid)
      expect(await get(shop, deposit)).toMatchObject({ paid_at: null, paid_amount: '0.00', payments: [] });
    const [booked] = await scene.stack.sql<{ credits: bigint; events: bigint }>(
      `SELECT (SELECT count(*) FROM transfers WHERE reference LIKE 'deposit:pay%') AS credits,
              (SELECT count(*) FROM events WHERE kind = 'deposit.paid') AS events`,
    );
    expect(booked).toEqual({ credits: BigInt(paid.length), events: BigInt(paid.length) });
    expect(await scene.wrong()).toEqual([]);
    await expectBooksToBalance(scene.stack);
    expect([...api.surprises, ...worker.surprises]).toEqual([]);
  });
});
