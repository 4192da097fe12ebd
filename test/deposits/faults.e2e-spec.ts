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
import { CALLBACKS_AT, OpnScene } from './opn/scene.js';
import { BankAccount, DepositsScene, paying, type DepositView, type Imported } from './scene.js';
import { SlipsScene } from './slips/slips-scene.js';

// Each cycle makes deposits, and imports the statement that pays some of them. Some of these payments have a slip, which is presented
// at the same time. Other deposits are paid at Opn, whose callbacks come often and in any order. Meanwhile processes are killed, at
// moments that the seed decides. `FAULTS_SEED=7 FAULTS_CYCLES=1000 npm test -- test/deposits/faults` runs another and longer series.

const SEED = Number(process.env.FAULTS_SEED ?? 1);
const CYCLES = Number(process.env.FAULTS_CYCLES ?? 3);
const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A statement grows with each cycle, so a new account follows after this many. */
const CYCLES_OF_ACCOUNT = 3;
/** A merchant may present this many slips in a minute. */
const MAX_SLIPS = 5;

let server: RunningServer;
let scene: DepositsScene;
let slips: SlipsScene;
let opn: OpnScene;
let api: ManagedProcess;
let worker: ManagedProcess;
let url: string;

interface Made {
  shop: TestMerchant;
  deposit: DepositView;
}

/** The bank account of a channel, with the deposits that the bank, Opn and the sandbox know to be paid, and those that nobody paid. */
class Bank extends BankAccount {
  readonly paid: Made[] = [];
  readonly unpaid: Made[] = [];

  constructor(
    readonly channel: string,
    readonly number: string,
  ) {
    super();
  }
}

let bank: Bank;
let paidBefore = 0;

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

const limits = {
  DEPOSIT_MAX_OPEN: '0',
  DEPOSIT_CREATE_PER_MINUTE: '0',
  DEPOSIT_MAX_HELD: '0',
  SUPPLIER_CALLBACK_BASE_URL: CALLBACKS_AT,
};

beforeAll(async () => {
  server = await startServer(await keptPort());
  scene = await DepositsScene.start({ DATABASE_URL: server.url, ...limits });
  await scene.stack.stopWorkers();
  const port = await keptPort([server.port]);
  url = `http://127.0.0.1:${port}`;
  slips = await SlipsScene.at(scene);
  opn = await OpnScene.at(scene, url);
  api = processOf('api', 'dist/src/main.js', 'the API is listening', port);
  worker = processOf('worker', 'dist/src/worker.js', 'the worker is working', 0);
  for (const each of [api, worker]) each.start();
});

afterAll(async () => {
  for (const each of [api, worker]) await each.kill();
  await slips.clear();
  await opn.clear();
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

async function create(shop: TestMerchant, reference: string, channel?: string): Promise<DepositView> {
  const client = new Client(url, shop.key);
  const { status, body } = await served(() =>
    client.post<DepositView>('/v1/deposits', { reference_id: reference, amount: '2000.00', channel }),
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
  const file = scene.file(bank.statement());
  const run = () => scene.operator.run('statement', 'import', file, '--channel', bank.channel, '--json');
  const { stdout } = await eventually(run, ({ code }) => code === 0);
  return JSON.parse(stdout) as Imported;
};

async function openBank(): Promise<Bank> {
  const { code, account } = await slips.channel('spread=5', 'unconfirmed_limit=off');
  return new Bank(code, account);
}

/** Makes deposits, and adds lines that pay some of them, among strangers' payments. @returns those with a line. */
async function prepare(cycle: number, random: Random): Promise<Made[]> {
  const [shop, sandbox] = [await scene.stack.merchant('0.00'), await scene.stack.sandboxMerchant('0.00')];
  const references = Array.from({ length: random.int(4, 8) }, (_, n) => `cycle-${cycle}-${n}`);
  const fault = random.chance(0.5) ? FAULTS.api : crashPostgres;
  const make = references.map(async (reference) => ({ shop, deposit: await create(shop, reference, bank.channel) }));
  const [made, tried] = await Promise.all([Promise.all(make), create(sandbox, `cycle-${cycle}`), fault?.()]);
  bank.paid.push({ shop: sandbox, deposit: tried });
  for (let n = random.int(600, 1_600); n > 0; n--) bank.add({ at: new Date(), amount: BigInt(random.int(200, 9_999)) });
  const first = bank.lines.length - 600;
  const [paid, unpaid] = [made.filter(() => random.chance(0.7)), [] as Made[]];
  unpaid.push(...made.filter((each) => !paid.includes(each)));
  for (const { deposit } of paid) bank.lines.splice(random.int(first, bank.lines.length), 0, paying(deposit));
  bank.paid.push(...paid);
  bank.unpaid.push(...unpaid);
  return paid;
}

/** Presents the slip of a payment until the API answers. */
async function presentSlip({ shop, deposit }: Made): Promise<void> {
  const transfer = slips.transfer(deposit, bank.number);
  await slips.pay(transfer);
  const client = new Client(url, shop.key);
  const { status, body } = await served(() => slips.present({ client }, deposit, transfer.payload));
  expect([status, body]).toEqual([200, body]);
}

/** Makes deposits that are paid at Opn, and lets callbacks about each come, of which some say that it failed. */
async function makeCharges(cycle: number, random: Random): Promise<(() => Promise<unknown>)[]> {
  const shop = await scene.stack.merchant('0.00');
  const references = Array.from({ length: random.int(1, 3) }, (_, n) => `charge-${cycle}-${n}`);
  const make = references.map(async (reference) => ({ shop, deposit: await create(shop, reference, opn.code) }));
  const made = await Promise.all(make);
  bank.paid.push(...made);
  return made.map(({ deposit: { deposit_number: ref_id } }) => {
    const statuses = random.shuffle(['successful', 'failed', 'successful', 'expired', 'successful', 'failed']);
    return async () => {
      await opn.opn.sim('settle', { ref_id, status: 'successful' });
      const event = 'charge.complete';
      for (const status of statuses) await opn.opn.sim('callbacks', { ref_id, set: { status }, event });
    };
  });
}

/** Makes all calls to vendors due now, which would come in time. */
async function hurry(): Promise<void> {
  await slips.hurry();
  await scene.stack.sql(
    `UPDATE deposits SET next_inquiry_at = now() WHERE channel_payment_id IS NOT NULL AND status <> 'paid'`,
  );
}

describe(`deposits under faults, seed ${SEED}`, () => {
  const seeds = new Random(SEED);
  const cycles = Array.from({ length: CYCLES }, (_, index) => index + 1);

  it.each(cycles)('cycle %i: each payment is booked once, and none is lost', async (cycle) => {
    const random = seeds.fork(`cycle ${cycle}`);
    if (cycle % CYCLES_OF_ACCOUNT === 1) {
      paidBefore += bank ? bank.paid.length : 0;
      bank = await openBank();
    }
    const withSlip = (await prepare(cycle, random)).slice(0, random.int(0, MAX_SLIPS));
    const callBack = await makeCharges(cycle, random);
    const names = Object.keys(FAULTS).filter(() => random.chance(0.6));
    const { channel, lines } = bank;
    const statement = bank.statement();
    /** A moment of the import: so many lines are stored. */
    const anyMoment = async (): Promise<number> => random.int(await scene.storedLines(channel), lines.length);
    const reported = [...withSlip.map((each) => presentSlip(each)), ...callBack.map((call) => call())];
    await Promise.all([
      scene.killedImport(channel, statement, await anyMoment()),
      ...names.map((name) => FAULTS[name]?.()),
    ]);
    await scene.disturbedImport(channel, statement, await anyMoment(), crashPostgres);
    await Promise.all(reported);
    await importAll();
    expect(await importAll()).toMatchObject({ new: 0, repeated: lines.length });
    await hurry();

    for (const { shop, deposit } of bank.paid) {
      const { amount_to_pay: amount } = deposit;
      const shown = await eventually(
        () => get(shop, deposit),
        ({ status }) => status === 'paid',
      );
      expect([names, shown]).toMatchObject([names, { paid_amount: amount, payments: [{ amount }] }]);
      expect(shown.payments).toHaveLength(1);
    }
    for (const { shop, deposit } of bank.unpaid)
      expect(await get(shop, deposit)).toMatchObject({ paid_at: null, paid_amount: '0.00', payments: [] });
    await eventually(
      () => scene.stack.sql(`SELECT FROM slip_checks WHERE state = 'checking'`),
      ({ length }) => length === 0,
    );
    const [booked] = await scene.stack.sql<Record<string, bigint>>(
      `SELECT (SELECT count(*) FROM transfers WHERE reference LIKE 'deposit:pay%') AS credits,
              (SELECT count(*) FROM events WHERE kind = 'deposit.paid') AS events,
              (SELECT count(*) FROM slip_checks WHERE state <> 'confirmed') AS refused,
              (SELECT count(*) FROM incoming_payments WHERE slip_ref IS NOT NULL AND line_id IS NULL) AS slips_without_line`,
    );
    const count = BigInt(paidBefore + bank.paid.length);
    expect(booked).toEqual({ credits: count, events: count, refused: 0n, slips_without_line: 0n });
    expect(await scene.wrong()).toEqual([]);
    await expectBooksToBalance(scene.stack);
    expect([...api.surprises, ...worker.surprises]).toEqual([]);
  });
});
