import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../tools/local-stack/postgres.js';
import type { RunningServer } from '../../tools/local-stack/server-process.js';
import { giveTo, serverOwner } from '../../tools/local-stack/unprivileged.js';
import { keptPort } from './kept-port.js';

/** A primary and a standby that streams from it, for one test. */
export class PostgresPair {
  private constructor(
    private readonly directory: string,
    readonly primary: RunningServer,
    private replica: RunningServer,
  ) {}

  static async start(): Promise<PostgresPair> {
    const directory = mkdtempSync(path.join(tmpdir(), 'topup-standby-'));
    giveTo(serverOwner(directory), directory);
    const dataDir = path.join(directory, 'primary');
    const port = await keptPort();
    const settings = { fsync: 'off', max_connections: '100' };
    await (await startPostgres({ dataDir, port, settings })).stop();
    // A standby starts as a copy of its primary.
    copy(dataDir, path.join(directory, 'standby'));
    const primary = await startPostgres({ dataDir, port, settings });
    const standby = await startStandby(directory, primary, await keptPort([port]));
    return new PostgresPair(directory, primary, standby);
  }

  /** The URL of the standby. */
  get url(): string {
    return this.replica.url;
  }

  /** The statements that the standby got so far. */
  get statements(): string {
    return readFileSync(path.join(this.directory, 'standby', 'server.log'), 'utf8');
  }

  /** Stops or resumes the replay of changes on the standby. */
  async replay(how: 'pause' | 'resume'): Promise<void> {
    const client = new pg.Client(this.url);
    await client.connect();
    await client.query(`SELECT pg_wal_replay_${how}()`);
    await client.end();
  }

  /** The number of statements of the standby that only sleep. */
  async sleepingOnStandby(): Promise<number> {
    const client = new pg.Client(this.url);
    await client.connect();
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'`,
    );
    await client.end();
    return rowCount ?? 0;
  }

  async killStandby(): Promise<void> {
    process.kill(this.replica.pid, 'SIGKILL');
    await this.replica.ended;
  }

  async restartStandby(): Promise<void> {
    this.replica = await startStandby(this.directory, this.primary, this.replica.port);
  }

  async close(): Promise<void> {
    await this.replica.stop();
    await this.primary.stop();
    rmSync(this.directory, { recursive: true });
  }
}

function startStandby(directory: string, primary: RunningServer, port: number): Promise<RunningServer> {
  const { hostname, port: primaryPort, username, password } = new URL(primary.url);
  return startPostgres({
    dataDir: path.join(directory, 'standby'),
    port,
    settings: {
      fsync: 'off',
      max_connections: '100',
      log_statement: 'all',
      primary_conninfo: `host=${hostname} port=${primaryPort} user=${username} password=${password}`,
      wal_retrieve_retry_interval: '200ms',
    },
  });
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  writeFileSync(path.join(to, 'cluster', 'standby.signal'), '');
  const owner = serverOwner(from);
  for (const file of ['', ...readdirSync(to, { recursive: true, encoding: 'utf8' })])
    giveTo(owner, path.join(to, file));
}
