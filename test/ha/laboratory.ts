import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { projectRoot } from '../../src/core/project-root.js';
import { Forgotten } from './forgotten.js';
import { SUPPLIER_TOKEN } from './furnish.js';
import { layNetwork, Machine } from './machine.js';
import { PatroniCluster } from './patroni.js';
import { findPatroni, newestPostgresql, versionOf } from './programs.js';
import { REDIS, RedisGroup } from './redis-group.js';
import { makeCertificate, patroniSettings, pgbouncerSettings, settingsOf, type Certificate } from './settings.js';

export const OURS = '10.0.0.1';
const SUPPLIER_PORT = 4010;
const BALANCER = '10.0.0.3';
const SUPPLIER = '10.0.0.4';
const DATABASES = { pg1: '10.0.0.11', pg2: '10.0.0.12', pg3: '10.0.0.13' };
const APPLICATIONS = { app1: '10.0.0.31', app2: '10.0.0.32' };
const READY_WITHIN_MS = 120_000;

const run = promisify(execFile);

interface Outside {
  /** The machine on which commands of the command line run. */
  operator: Machine;
  /** The load balancer in front of the APIs. */
  balancer: Machine;
  supplier: Machine;
}

/** The whole service on simulated machines: see README.md. */
export class Laboratory {
  readonly apiUrl = `http://${BALANCER}:8080`;
  readonly supplierUrl = `http://${SUPPLIER}:${SUPPLIER_PORT}`;
  /** The folder of PostgreSQL's programs. */
  readonly postgresql = newestPostgresql() ?? '';
  readonly forgotten = new Forgotten();
  private readonly password = randomBytes(12).toString('hex');
  private readonly secretsKey = randomBytes(32).toString('base64');
  private certificate: Certificate = { authority: '', certificate: '', key: '' };
  private pool: pg.Pool | undefined;

  private constructor(
    /** A folder in memory. The kernel removes it when the laboratory's namespaces end. */
    readonly directory: string,
    readonly logs: string,
    readonly cluster: PatroniCluster,
    readonly redis: RedisGroup,
    readonly applications: readonly Machine[],
    private readonly outside: Outside,
  ) {}

  static async standUp(directory: string, logs: string, log: (line: string) => void): Promise<Laboratory> {
    await layNetwork(OURS);
    const boot = (name: string, address: string, disks: Record<string, number>): Promise<Machine> =>
      Machine.boot({ name, address, disks: { '/run': 50, ...disks }, logs });
    const ofDatabase = { '/var/lib/postgresql': 1_500, '/etc/patroni': 5 };
    const databases = await Promise.all(
      Object.entries(DATABASES).map(([name, address]) => boot(name, address, ofDatabase)),
    );
    const redis = await RedisGroup.boot(boot);
    const applications = await Promise.all(
      Object.entries(APPLICATIONS).map(([name, address]) =>
        boot(name, address, { '/etc/haproxy': 5, '/etc/pgbouncer': 5 }),
      ),
    );
    const outside = {
      operator: await boot('operator', '10.0.0.2', { '/etc/haproxy': 5 }),
      balancer: await boot('balancer', BALANCER, { '/etc/haproxy': 5 }),
      supplier: await boot('supplier', SUPPLIER, { '/var/lib/supplier': 200 }),
    };
    const laboratory = new Laboratory(directory, logs, new PatroniCluster(databases), redis, applications, outside);
    copyBuild(directory);
    await laboratory.startAll(log);
    return laboratory;
  }

  /** Runs an operator's command. @returns its JSON. @throws with its output if it fails. */
  async topup<Result>(...args: string[]): Promise<Result> {
    const program = path.join(this.directory, 'bin', 'topup.js');
    const settings = Object.entries(this.envOf(this.outside.operator)).map(([name, value]) => `${name}=${value}`);
    const stdout = await this.outside.operator.run(['env', ...settings, process.execPath, program, ...args, '--json']);
    return JSON.parse(stdout) as Result;
  }

  async sql<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
    for (let tries = 5; ; tries--) {
      try {
        return (await (await this.database()).query<Row>(query, values)).rows;
      } catch (error) {
        await this.pool?.end().catch(() => undefined);
        this.pool = undefined;
        if (tries === 1) throw error;
        await delay(1_000);
      }
    }
  }

  async purchases<Purchase>(): Promise<Purchase[]> {
    return (await (await fetch(`${this.supplierUrl}/purchases`)).json()) as Purchase[];
  }

  /** Waits until every machine works again, and each API accepts orders. */
  async untilHealthy(): Promise<void> {
    await this.cluster.untilHealthy();
    await this.redis.untilHealthy();
    await Promise.all(this.applications.map(this.untilApiReady));
    await this.untilReady(this.apiUrl);
  }

  private async database(): Promise<pg.Pool> {
    if (this.pool) return this.pool;
    const { address } = await this.cluster.primary();
    const { authority } = this.certificate;
    const connectionString = `postgres://topup:${this.password}@${address}:5432/topup?sslmode=verify-full&sslrootcert=${authority}`;
    this.pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: 3_000 });
    this.pool.on('error', () => undefined);
    return this.pool;
  }

  /** Waits until the API of a machine accepts orders. */
  readonly untilApiReady = ({ address }: Machine): Promise<void> => this.untilReady(`http://${address}:3000`);

  private async untilReady(url: string): Promise<void> {
    for (const deadline = performance.now() + READY_WITHIN_MS; performance.now() < deadline; await delay(200)) {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      if (response?.ok) return;
    }
    throw new Error(`${url} was not ready within ${READY_WITHIN_MS / 1000} s`);
  }

  private async startAll(log: (line: string) => void): Promise<void> {
    const patroni = findPatroni();
    const haproxy = versionOf('haproxy', '-v');
    const pgbouncer = versionOf('/usr/sbin/pgbouncer', '--version');
    log(
      `Patroni ${patroni.version}, etcd ${versionOf('etcd', '--version')}, HAProxy ${haproxy}, PgBouncer ${pgbouncer}, Redis ${versionOf('redis-server', '--version')}, ${this.postgresql}`,
    );
    this.certificate = makeCertificate(this.directory, ['127.0.0.1', ...Object.values(DATABASES)]);
    for (const machine of this.redis.machines) this.startEtcd(machine);
    for (const machine of this.cluster.machines) {
      await this.startPatroni(machine, patroni);
      // The first one starts the cluster; the others copy it.
      if (machine === this.cluster.machines[0]) await untilPrimary(machine);
    }
    await this.cluster.untilHealthy();
    log('PostgreSQL has a primary and two standbys');
    await this.createDatabase();
    await this.redis.start();
    for (const [index, machine] of this.applications.entries()) this.startApplication(machine, index === 1);
    this.startHaproxy(this.outside.operator);
    this.startOutside();
    await this.untilHealthy();
    log('two APIs take orders');
  }

  private startEtcd(machine: Machine): void {
    const { name, address } = machine;
    const peers = Object.entries(REDIS).map(([peer, at]) => `${peer}=http://${at}:2380`);
    machine.start({
      name: 'etcd',
      command: [
        'etcd',
        '--name',
        name,
        '--data-dir',
        '/var/lib/etcd/topup',
        '--listen-client-urls',
        'http://0.0.0.0:2379',
        '--advertise-client-urls',
        `http://${address}:2379`,
        '--listen-peer-urls',
        'http://0.0.0.0:2380',
        '--initial-advertise-peer-urls',
        `http://${address}:2380`,
        '--initial-cluster',
        peers.join(','),
        '--initial-cluster-state',
        'new',
      ],
    });
  }

  private async startPatroni(machine: Machine, patroni: ReturnType<typeof findPatroni>): Promise<void> {
    const owner = Number((await run('id', ['-u', 'postgres'])).stdout);
    const binaries = `/run/postgresql-programs`;
    await machine.run(['cp', '--symbolic-link', '--recursive', this.postgresql, binaries]);
    await machine.run(['chown', 'postgres:postgres', '/var/lib/postgresql']);
    machine.write(
      '/etc/patroni/patroni.yml',
      patroniSettings(machine.name, machine.address, binaries, patroni.version),
    );
    machine.write('/etc/patroni/server.crt', this.certificate.certificate);
    machine.write('/etc/patroni/server.key', this.certificate.key, { owner, mode: 0o600 });
    const env = {
      ...patroni.env,
      HOME: '/var/lib/postgresql',
      PATRONI_SUPERUSER_PASSWORD: this.password,
      PATRONI_REPLICATION_PASSWORD: this.password,
      PATRONI_REWIND_PASSWORD: this.password,
    };
    machine.start({
      name: 'patroni',
      command: [...patroni.command, '/etc/patroni/patroni.yml'],
      user: 'postgres',
      env,
    });
  }

  private async createDatabase(): Promise<void> {
    const primary = await this.cluster.primary();
    const sql = (statement: string, database = 'postgres'): Promise<string> =>
      primary.run(['psql', '-v', 'ON_ERROR_STOP=1', '-d', database, '-c', statement], 'postgres');
    await sql(`CREATE ROLE topup LOGIN PASSWORD '${this.password}'`);
    await sql('CREATE DATABASE topup OWNER topup');
    // The parameters that PgBouncer must ignore, from docs/scaling.md.
    const ofRole = {
      idle_in_transaction_session_timeout: '4s',
      lock_timeout: '3s',
      statement_timeout: '6s',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      enable_seqscan: 'off',
      jit: 'off',
      max_parallel_workers_per_gather: '0',
    };
    for (const [name, value] of Object.entries(ofRole)) await sql(`ALTER ROLE topup SET ${name} = '${value}'`);
  }

  /** HAProxy on each machine, with PgBouncer in front of it on one; an API and a worker. */
  private startApplication(machine: Machine, isPooled: boolean): void {
    this.startHaproxy(machine);
    if (isPooled) this.startPgbouncer(machine);
    const env = this.envOf(machine, isPooled);
    const node = (name: string, script: string, more: NodeJS.ProcessEnv = {}): void =>
      machine.start({
        name,
        command: [process.execPath, '--max-old-space-size=384', path.join(this.directory, script)],
        env: { ...env, ...more },
      });
    node('api', 'dist/src/main.js', { HOST: '0.0.0.0', PORT: '3000', MANAGEMENT_PORT: '9464' });
    node('worker', 'dist/src/worker.js', { MANAGEMENT_PORT: '9465' });
  }

  private startHaproxy(machine: Machine): void {
    machine.write('/etc/haproxy/haproxy.cfg', settingsOf('haproxy.cfg'));
    machine.start({ name: 'haproxy', command: ['haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg'] });
  }

  private startPgbouncer(machine: Machine): void {
    const version = Number(versionOf('/usr/sbin/pgbouncer', '--version').split('.')[1]);
    machine.write('/etc/pgbouncer/pgbouncer.ini', pgbouncerSettings(version));
    machine.write('/etc/pgbouncer/ca.crt', readFileSync(this.certificate.authority, 'utf8'));
    machine.write('/etc/pgbouncer/userlist.txt', `"topup" "${this.password}"\n`);
    machine.start({
      name: 'pgbouncer',
      command: ['pgbouncer', '/etc/pgbouncer/pgbouncer.ini'],
      user: 'postgres',
    });
  }

  /** The load balancer and the supplier, which are outside the service. */
  private startOutside(): void {
    const { balancer, supplier } = this.outside;
    for (const name of ['balancer.cfg', 'unavailable.http']) balancer.write(`/etc/haproxy/${name}`, settingsOf(name));
    balancer.start({ name: 'balancer', command: ['haproxy', '-db', '-f', '/etc/haproxy/balancer.cfg'] });
    const env = {
      SIMULATOR_HOST: '0.0.0.0',
      SIMULATOR_PORT: String(SUPPLIER_PORT),
      SIMULATOR_TOKEN: SUPPLIER_TOKEN,
      SIMULATOR_DATA_DIR: '/var/lib/supplier',
    };
    const script = path.join(this.directory, 'dist/tools/simulators/http/main.js');
    supplier.start({ name: 'supplier', command: [process.execPath, script], env });
  }

  private envOf({ address }: Machine, isPooled = false): NodeJS.ProcessEnv {
    const database = isPooled
      ? `postgres://topup:${this.password}@127.0.0.1:6432/topup`
      : `postgres://topup:${this.password}@127.0.0.1:5432/topup?sslmode=verify-full&sslrootcert=${this.certificate.authority}`;
    return {
      HOME: '/root',
      USER: `laboratory-${address}`,
      NODE_ENV: 'production',
      DATABASE_URL: database,
      DATABASE_POOL_SIZE: '12',
      ...(isPooled ? { DATABASE_PREPARED_STATEMENTS: 'false' } : {}),
      REDIS_URL: this.redis.url,
      SECRETS_KEY: this.secretsKey,
      WEBHOOK_ALLOWED_CIDRS: `${OURS}/32`,
      TRUSTED_PROXIES: BALANCER,
      LOG_LEVEL: 'info',
    };
  }
}

export async function untilPrimary({ name, address }: Machine): Promise<void> {
  for (const deadline = performance.now() + READY_WITHIN_MS; performance.now() < deadline; await delay(500)) {
    const answer = await fetch(`http://${address}:8008/primary`).catch(() => null);
    if (answer?.status === 200) return;
  }
  throw new Error(`PostgreSQL on ${name} did not begin: see its log`);
}

/** Copies the build, so that another build during the run does not change the running code. */
function copyBuild(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of ['dist', 'bin', 'package.json'])
    cpSync(path.join(projectRoot, name), path.join(directory, name), { recursive: true });
  symlinkSync(path.join(projectRoot, 'node_modules'), path.join(directory, 'node_modules'));
}
