import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/local/ports.js';
import { startPostgres } from '../../src/local/postgres.js';
import { findRedis, type RedisBinary } from '../../src/local/redis-binary.js';
import { ServerProcess, type RunningServer } from '../../src/local/server-process.js';

/** A durable PostgreSQL that can be ended at once and comes back on the same port with the same password. */
export class ChaosPostgres {
  private running: RunningServer | undefined;

  constructor(
    private readonly dataDir: string,
    private readonly port: number,
  ) {}

  get url(): string {
    return this.running?.url ?? '';
  }

  async start(): Promise<void> {
    this.running = await startPostgres({ dataDir: this.dataDir, port: this.port });
  }

  /** An immediate shutdown: nothing is flushed, and the next start recovers from the log. */
  async crash(): Promise<void> {
    this.running?.kill();
    await this.running?.ended;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }

  abandon(): void {
    this.running?.kill();
  }
}

/** A Redis that can be killed and comes back empty on the same port with the same password. */
export class ChaosRedis {
  private server: ServerProcess | undefined;
  private readonly password = randomBytes(24).toString('hex');

  private constructor(
    private readonly dataDir: string,
    private readonly binary: RedisBinary,
    readonly port: number,
  ) {}

  static async create(dataDir: string, packageDir: string): Promise<ChaosRedis> {
    mkdirSync(dataDir, { recursive: true });
    return new ChaosRedis(dataDir, await findRedis(packageDir), await freePort());
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
    ];
    writeFileSync(configuration, `${lines.join('\n')}\n`, { mode: 0o600 });
    const { program, libraryPath } = this.binary;
    this.server = new ServerProcess({
      name: 'Redis',
      command: [program, configuration],
      cwd: this.dataDir,
      env: { PATH: process.env.PATH, ...(libraryPath === null ? {} : { LD_LIBRARY_PATH: libraryPath }) },
      logFile: join(this.dataDir, 'server.log'),
      stopSignals: [{ signal: 'SIGKILL', waitMs: 10_000 }],
    });
    await this.server.waitUntil(() => this.ask((redis) => redis.ping()), 30_000);
  }

  async kill(): Promise<void> {
    await this.server?.stop();
  }

  async flush(): Promise<void> {
    await this.ask((redis) => redis.flushall());
  }

  abandon(): void {
    this.server?.kill();
  }

  private async ask(question: (redis: Redis) => Promise<unknown>): Promise<boolean> {
    const redis = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      connectTimeout: 2_000,
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
