import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { keptPort } from '../support/kept-port.js';
import { startPostgres } from '../../tools/local-stack/postgres.js';
import { findRedis, type RedisBinary } from '../../tools/local-stack/redis-binary.js';
import { ServerProcess, type RunningServer } from '../../tools/local-stack/server-process.js';
import { removeFakeTimeOf, settableTimeEnv } from './fake-time.js';
import { retried } from './retried.js';

/** A durable PostgreSQL that can be ended at once, and restarted on the same port with the same password. */
export class ChaosPostgres {
  private running: RunningServer | undefined;
  private readonly clockFile: string;
  /** The seconds by which its clock was set forward for good, without a temporary step. */
  private forward = 0;

  /** @param fakeTime the library that makes its clock settable; null leaves the clock right. */
  constructor(
    private readonly dataDir: string,
    private readonly port: number,
    private readonly fakeTime: string | null,
  ) {
    this.clockFile = `${dataDir}-clock`;
  }

  get url(): string {
    return this.running?.url ?? '';
  }

  async start(): Promise<void> {
    // Few connections, so that they are soon all taken.
    const settings = { max_connections: '80' };
    this.setClock(0);
    const env = this.fakeTime === null ? {} : settableTimeEnv(this.fakeTime, this.clockFile);
    this.running = await startPostgres({ dataDir: this.dataDir, port: this.port, settings, env });
  }

  /** @param seconds by which its clock is ahead from now on; 0 sets it right. */
  setClock(seconds: number): void {
    writeFileSync(this.clockFile, `+${this.forward + seconds}s`, { mode: 0o644 });
  }

  /** The same, and the clock stays ahead after a restart. */
  setClockForward(seconds: number): void {
    this.forward = seconds;
    this.setClock(0);
  }

  /** Stops all its processes without closing connections, like a machine that hangs. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  /** Stops the server first, because a stopped server starts no other process. */
  private signal(signal: NodeJS.Signals): void {
    const pid = this.running?.pid;
    if (pid === undefined) return;
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, signal);
      } catch {
        // The process has just ended.
      }
    }
  }

  /** An immediate shutdown: nothing is flushed, and the next start recovers from the log. */
  async crash(): Promise<void> {
    this.running?.kill();
    await this.running?.ended;
    this.removeFakeTime();
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.removeFakeTime();
  }

  abandon(): void {
    this.running?.kill();
    this.removeFakeTime();
  }

  private removeFakeTime(): void {
    if (this.running && this.fakeTime !== null) removeFakeTimeOf(this.running.pid);
  }
}

/** A Redis that can be killed, and restarted empty on the same port with the same password. */
export class ChaosRedis {
  private server: ServerProcess | undefined;
  private readonly password = randomBytes(24).toString('hex');

  private constructor(
    private readonly dataDir: string,
    private readonly binary: RedisBinary,
    private readonly needsDebugEnabled: boolean,
    readonly port: number,
  ) {}

  static async create(dataDir: string, packageDir: string): Promise<ChaosRedis> {
    mkdirSync(dataDir, { recursive: true });
    const binary = await findRedis(packageDir);
    return new ChaosRedis(dataDir, binary, await refusesDebug(binary), await keptPort());
  }

  get url(): string {
    return `redis://:${this.password}@127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const configuration = join(this.dataDir, 'redis.conf');
    const lines = [
      'bind 127.0.0.1',
      `port ${this.port}`,
      `requirepass ${this.password}`,
      `dir ${JSON.stringify(this.dataDir)}`,
      'save ""',
      'appendonly no',
      'maxmemory-policy noeviction',
      ...(this.needsDebugEnabled ? ['enable-debug-command local'] : []),
    ];
    writeFileSync(configuration, `${lines.join('\n')}\n`, { mode: 0o600 });
    this.server = new ServerProcess({
      name: 'Redis',
      command: [this.binary.program, configuration],
      cwd: this.dataDir,
      env: environmentOf(this.binary),
      logFile: join(this.dataDir, 'server.log'),
      stopSignals: [{ signal: 'SIGKILL', waitMs: 10_000 }],
    });
    await this.server.waitUntil(() => this.ask((redis) => redis.ping()), 30_000);
  }

  async kill(): Promise<void> {
    await this.server?.stop();
  }

  async flush(): Promise<void> {
    await this.command((redis) => redis.flushall());
  }

  /** For this time, it runs no command and accepts no connection, but closes none. */
  async sleep(forMs: number): Promise<void> {
    await this.command((redis) => redis.call('DEBUG', 'SLEEP', String(forMs / 1000)));
  }

  abandon(): void {
    this.server?.kill();
  }

  private command(command: (redis: Redis) => Promise<unknown>): Promise<void> {
    return retried(async () => {
      if (!(await this.ask(command))) throw new Error('Redis did not carry out a command');
    });
  }

  private async ask(question: (redis: Redis) => Promise<unknown>): Promise<boolean> {
    const redis = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      connectTimeout: 10_000,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      await question(redis);
      return true;
    } catch {
      return false;
    } finally {
      if (redis.status !== 'end') redis.disconnect();
    }
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    // "123 (name) S 45 ...": the name may contain any characters, also parentheses.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) . /s, '')
        .split(' ')[0],
    );
  } catch {
    return null;
  }
}

const environmentOf = ({ libraryPath }: RedisBinary): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...(libraryPath === null ? {} : { LD_LIBRARY_PATH: libraryPath }),
});

/** From version 7 on, a line of the settings must allow DEBUG, which earlier versions would refuse. */
async function refusesDebug(binary: RedisBinary): Promise<boolean> {
  const { stdout } = await promisify(execFile)(binary.program, ['--version'], { env: environmentOf(binary) });
  return Number(/v=(\d+)/.exec(stdout)?.[1]) >= 7;
}
