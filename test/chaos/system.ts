import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { keptPort } from '../support/kept-port.js';
import { CarelessSupplier } from './careless-supplier.js';
import { copyBuild, dataDir, removeLeftOvers } from './checkout-copy.js';
import { plantDefects, type DefectName } from './defects.js';
import { fakeTimeEnv, findFakeTime } from './fake-time.js';
import { SUPPLIER_TIMEOUT_MS, type PlannedClocks } from './fault-plan.js';
import { ManagedProcess } from './managed-process.js';
import { retried } from './retried.js';
import { QUIET_PERIOD_MS } from './schedule.js';
import { ChaosPostgres, ChaosRedis } from './servers.js';
import { OperatorCommands } from './operator-commands.js';
import { SupplierWire } from './supplier-wire.js';
import { Vendor } from './vendor.js';
import type { AnswerCode, VendorKind } from './vendors/vendor-kind.js';
import { VENDORS } from './vendors/vendors.js';

const SUPPLIER_TOKEN = 'chaos';
/** The interval of the workers' readings of suppliers' lists. */
const PURCHASES_INTERVAL_MS = 3_000;

export interface SystemOptions {
  /** A name that distinguishes the logs of this run from others. */
  name: string;
  /** The planted defects of the service. */
  defects: readonly DefectName[];
  vendors: readonly AnswerCode[];
  clocks: PlannedClocks;
  reviewAfterMs: number | null;
  log: (line: string) => void;
}

/** The whole service like in production, with its own servers, and with faults for every part. */
export class ChaosSystem {
  readonly workers: ManagedProcess[] = [];
  readonly careless = new CarelessSupplier();
  readonly database: pg.Pool;

  /** Runs very many commands in one process, because each start is slow. */
  readonly commands: OperatorCommands;

  private constructor(
    private readonly directory: string,
    readonly postgres: ChaosPostgres,
    readonly redis: ChaosRedis,
    readonly simulator: ManagedProcess,
    /** Another supplier, with its own records. */
    private readonly otherSimulator: ManagedProcess,
    private readonly simulatorUrl: string,
    readonly otherSupplierUrl: string,
    readonly wire: SupplierWire,
    readonly vendors: readonly Vendor[],
    readonly api: ManagedProcess,
    readonly apiUrl: string,
    private readonly env: NodeJS.ProcessEnv,
    /** The folder of the processes' logs, which stays after the run. */
    readonly logs: string,
  ) {
    this.commands = new OperatorCommands(directory, env);
    this.database = new pg.Pool({ connectionString: postgres.url, max: 4 });
    this.database.on('error', () => undefined);
  }

  static async start({ name, defects, vendors, clocks, reviewAfterMs, log }: SystemOptions): Promise<ChaosSystem> {
    await removeLeftOvers();
    const directory = join(dataDir, `chaos-${process.pid}`);
    const logs = join(dataDir, 'chaos-logs', name);
    rmSync(logs, { recursive: true, force: true });
    for (const each of [directory, logs]) mkdirSync(each, { recursive: true });
    copyBuild(directory);
    if (defects.length > 0) plantDefects(directory, defects);

    const fakeTime = fakeTimeLibrary(log);
    const ports: number[] = [];
    const nextPort = async (): Promise<number> => {
      ports.push(await keptPort(ports));
      return ports.at(-1) as number;
    };
    const postgres = new ChaosPostgres(join(directory, 'postgres'), await nextPort(), fakeTime);
    await postgres.start();
    const redis = await ChaosRedis.create(join(directory, 'redis'), join(dataDir, 'redis-package'));
    await redis.start();
    const [simulatorPort, otherPort] = [await nextPort(), await nextPort()];
    const [wirePort, apiPort] = [await nextPort(), await nextPort()];
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      USER: 'chaos',
      NODE_ENV: 'production',
      DATABASE_URL: postgres.url,
      DATABASE_POOL_SIZE: '10',
      REDIS_URL: redis.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_PER_SECOND: '0',
      SUPPLIER_CALLBACK_BASE_URL: `http://127.0.0.1:${apiPort}`,
      SUPPLIER_QUIET_PERIOD_MS: String(QUIET_PERIOD_MS),
      SUPPLIER_PURCHASES_INTERVAL_MS: String(PURCHASES_INTERVAL_MS),
      ...(reviewAfterMs === null ? {} : { SUPPLIER_REVIEW_AFTER_MS: String(reviewAfterMs) }),
      LOG_LEVEL: 'info',
      MANAGEMENT_PORT: '0',
      HOST: '127.0.0.1',
      PORT: String(apiPort),
      SIMULATOR_PORT: String(simulatorPort),
      SIMULATOR_TOKEN: SUPPLIER_TOKEN,
      SIMULATOR_DATA_DIR: join(directory, 'simulator'),
    };
    const clockEnv = (seconds: number): NodeJS.ProcessEnv =>
      seconds === 0 || fakeTime === null ? {} : fakeTimeEnv(fakeTime, seconds);
    const node = (
      processName: string,
      script: string,
      clockSeconds = 0,
      more: NodeJS.ProcessEnv = {},
      args: string[] = [],
    ): ManagedProcess =>
      new ManagedProcess({
        name: processName,
        args: [join(directory, script), ...args],
        cwd: directory,
        env: { ...env, ...clockEnv(clockSeconds), ...more },
        logFile: join(logs, `${processName.replaceAll(' ', '-')}.log`),
        readyText: processName === 'api' ? 'the API is listening' : 'the worker is working',
      });
    const startVendor = async (kind: VendorKind): Promise<Vendor> => {
      const [port, wirePort] = [await nextPort(), await nextPort()];
      const script = 'dist/tools/simulators/simulate.js';
      const process = node(kind.code, script, 0, vendorEnv(kind, directory, port), [kind.adapter]);
      return new Vendor(kind, `http://127.0.0.1:${port}`, new SupplierWire(wirePort, port), process);
    };
    const started: Vendor[] = [];
    for (const code of vendors) started.push(await startVendor(VENDORS[code]));
    const system = new ChaosSystem(
      directory,
      postgres,
      redis,
      node('simulator', 'dist/tools/simulators/http/main.js'),
      node('other simulator', 'dist/tools/simulators/http/main.js', 0, {
        SIMULATOR_PORT: String(otherPort),
        SIMULATOR_DATA_DIR: join(directory, 'other-simulator'),
      }),
      `http://127.0.0.1:${simulatorPort}`,
      `http://127.0.0.1:${otherPort}`,
      new SupplierWire(wirePort, simulatorPort),
      started,
      node('api', 'dist/src/main.js', clocks.api),
      `http://127.0.0.1:${apiPort}`,
      env,
      logs,
    );
    process.once('exit', () => system.abandon());
    system.simulator.start();
    system.otherSimulator.start();
    for (const vendor of started) vendor.process.start();
    await Promise.all([system, ...started].map(({ wire }) => wire.listen()));
    await system.careless.listen();
    system.api.start();
    await system.untilReady(300_000);
    const worker = 'dist/src/worker.js';
    system.workers.push(node('worker 1', worker), node('worker 2', worker, clocks.worker2));
    for (const worker of system.workers) worker.start();
    return system;
  }

  get processes(): ManagedProcess[] {
    return [
      this.api,
      ...this.workers,
      this.simulator,
      this.otherSimulator,
      ...this.vendors.map(({ process: each }) => each),
    ];
  }

  /** Sets a supplier of our own protocol, or its new address, with the operator's command. */
  setSupplier(baseUrl: string, code = 'sim'): Promise<unknown> {
    const reached = ['--base-url', baseUrl, '--token', SUPPLIER_TOKEN];
    const patience = ['--timeout-ms', String(SUPPLIER_TIMEOUT_MS)];
    return this.topup('supplier', 'set', '--code', code, '--adapter', 'http', ...reached, ...patience);
  }

  /** @throws Error for a vendor that this run does not have. */
  vendorOf(code: AnswerCode): Vendor {
    const vendor = this.vendors.find(({ kind }) => kind.code === code);
    if (!vendor) throw new Error(`there is no vendor ${code} in this run`);
    return vendor;
  }

  /** Sets a vendor. @returns its callback address. */
  async setVendor({ kind, baseUrl }: Vendor): Promise<string> {
    const { callback_url } = await this.topup<{ callback_url: string }>(
      'supplier',
      'set',
      '--code',
      kind.code,
      '--adapter',
      kind.adapter,
      '--base-url',
      baseUrl,
      '--timeout-ms',
      String(SUPPLIER_TIMEOUT_MS),
      ...Object.entries(kind.credentials).flatMap(([name, value]) => ['--credential', `${name}=${value}`]),
    );
    return callback_url;
  }

  /** Runs an operator's command. @returns its JSON. @throws with its output if it fails. */
  async topup<Result>(...args: string[]): Promise<Result> {
    const program = join(this.directory, 'bin', 'topup.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
      cwd: this.directory,
      env: this.env,
      maxBuffer: 10_000_000,
    });
    return JSON.parse(stdout) as Result;
  }

  async sql<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(query, values)).rows;
  }

  /** The sales and refusals of the suppliers of our own protocol. */
  async purchases<Purchase>(): Promise<Purchase[]> {
    const read = async (url: string): Promise<Purchase[]> =>
      (await (await fetch(`${url}/purchases`)).json()) as Purchase[];
    // One of them may just be starting.
    const books = [this.simulatorUrl, this.otherSupplierUrl].map((url) => retried(() => read(url), 100));
    return [...(await Promise.all(books)).flat(), ...(this.careless.purchases() as Purchase[])];
  }

  async untilReady(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (performance.now() < deadline) {
      const signal = AbortSignal.timeout(2_000);
      const response = await fetch(`${this.apiUrl}/readyz`, { signal }).catch(() => null);
      if (response?.ok) return;
      await delay(100);
    }
    throw new Error(`the API was not ready within ${withinMs / 1000} s`);
  }

  async stop(): Promise<void> {
    this.commands.end();
    await Promise.all(this.processes.map((each) => each.kill()));
    await Promise.all([this, ...this.vendors].map(({ wire }) => wire.refuse()));
    this.careless.close();
    await this.database.end();
    await this.redis.kill();
    await this.postgres.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private abandon(): void {
    this.commands.end();
    for (const each of [...this.processes, this.redis, this.postgres]) each.abandon();
  }
}

/** A vendor with our deposit, and its products. */
const vendorEnv = ({ code, account, readings }: VendorKind, directory: string, port: number): NodeJS.ProcessEnv => ({
  SIMULATOR_PORT: String(port),
  SIMULATOR_DATA_DIR: join(directory, code),
  SIMULATOR_ACCOUNT: JSON.stringify(account),
  SIMULATOR_READINGS: JSON.stringify(readings),
});

/** The library that makes clocks wrong; null if it is missing, and then all clocks are right. */
function fakeTimeLibrary(log: (line: string) => void): string | null {
  const fakeTime = findFakeTime();
  if ('library' in fakeTime) return fakeTime.library;
  log(`clocks are left right, without libfaketime: ${fakeTime.missing}`);
  return null;
}
