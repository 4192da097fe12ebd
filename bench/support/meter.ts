import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import type pg from 'pg';
import type { BenchStack } from './stack.js';

/** Settings of PostgreSQL under which its figures depend on the work alone, and not on when a checkpoint or a vacuum came. */
export const METERED = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
  full_page_writes: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '64GB',
};

const TICK_US = 10_000;
/** What a backend shows as its title when it serves a client. */
const SERVES_CLIENT = /127\.0\.0\.1\(\d+\)/;

/** At the start of a statement of the benchmark itself, which is no cost of an order. */
export const OWN = '/* benchmark */';

/** Microseconds of CPU by kind of process: PostgreSQL's backends serve clients, its writers do not. */
export type Cpu = Record<'API' | 'worker' | 'backends' | 'writers' | 'Redis', number>;

/** What PostgreSQL wrote and executed. */
export interface Writes {
  'WAL bytes': number;
  'WAL of tables': number;
  'WAL of indexes': number;
  'WAL of commits': number;
  'WAL records': number;
  'tuple locks': number;
  'index entries': number;
  'rows written': number;
  statements: number;
  buffers: number;
}

/** What orders share: commands of Redis for an order, and the mean size of the batches by what they write. */
export type Shared = Record<'Redis commands' | `batch of ${Writer}`, number>;

const WRITERS = ['placement', 'settlement', 'attempts'] as const;
type Writer = (typeof WRITERS)[number];

/** CPU microseconds of each process that runs, and whose they are. */
type Spent = Map<number, { by: keyof Cpu; us: number }>;

interface Reading {
  spent: Spent;
  lsn: string;
  redisCommands: number;
  batches: Batches;
}

/** All batches of a writer so far: how many there were, and how many commands they held. */
type Batches = Map<Writer, { count: number; commands: number }>;

interface Metered {
  api: number;
  worker: number;
  postgres: number;
  redis: number;
}

/** Reads what orders cost, by process and in PostgreSQL. */
export class Meter {
  private constructor(
    private readonly database: pg.Pool,
    private readonly redis: Redis,
    private readonly processes: Metered,
    private readonly managementPorts: number[],
  ) {}

  /** @param managementPorts of the processes whose batches count. A stopped process would not answer. */
  static async create(stack: BenchStack, worker: number, managementPorts: number[]): Promise<Meter> {
    for (const name of ['pg_stat_statements', 'pg_walinspect'])
      await stack.database.query(`CREATE EXTENSION IF NOT EXISTS ${name}`);
    const { rows } = await stack.database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // The benchmark stops Redis at its end.
    const redis = new Redis(stack.redisUrl, { retryStrategy: () => null });
    const server = await redis.info('server');
    const processes = {
      api: stack.api.pid ?? 0,
      worker,
      postgres: parentOf(rows[0]?.pid ?? 0),
      redis: Number(/process_id:(\d+)/.exec(server)?.[1]),
    };
    return new Meter(stack.database, redis, processes, managementPorts);
  }

  /** Begins to count. */
  async start(): Promise<Reading> {
    // The processes query PostgreSQL for their metrics, so they are read outside of what is counted.
    const batches = await this.batches();
    const redisCommands = await this.redisCommands();
    await this.database.query('SELECT pg_stat_statements_reset()');
    return { spent: this.spent(), lsn: await this.lsn(), redisCommands, batches };
  }

  private async lsn(): Promise<string> {
    const { rows } = await this.database.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn');
    return rows[0]?.lsn ?? '';
  }

  /**
   * @param orders that were placed since the start. Statements that ran less than once for a hundred of them, such as those
   * of recurring tasks, are not of an order.
   * @param isLone whether each order was alone: then a statement counts as often as every order had it, since what chance adds,
   * such as a claim that finds nothing, is not of an order.
   * @returns what one order cost on average.
   */
  async stop(since: Reading, orders: number, isLone = false): Promise<{ cpu: Cpu; writes: Writes; shared: Shared }> {
    const cpu: Cpu = { API: 0, worker: 0, backends: 0, writers: 0, Redis: 0 };
    for (const [pid, { by, us }] of this.spent()) cpu[by] += (us - (since.spent.get(pid)?.us ?? 0)) / orders;
    const redisCommands = (await this.redisCommands()) - since.redisCommands;
    const executed = await this.database.query<{ statements: string; buffers: string }>(
      `SELECT sum(CASE WHEN $2 THEN $1 * floor(calls * 1.02 / $1) ELSE calls END) AS statements,
         sum(shared_blks_hit + shared_blks_read) AS buffers FROM pg_stat_statements
       WHERE toplevel AND calls * 100 >= $1 AND query NOT LIKE '${OWN}%'`,
      [orders, isLone],
    );
    const written = await this.database.query<Record<string, string>>(WRITTEN, [
      since.lsn,
      await this.lsn(),
      WRITTEN_BY_TIME,
    ]);
    const batches = await this.batches();
    const each = (total: unknown): number => Number(total ?? 0) / orders;
    return {
      cpu,
      writes: {
        'WAL bytes': each(written.rows[0]?.bytes),
        'WAL of tables': each(written.rows[0]?.tables),
        'WAL of indexes': each(written.rows[0]?.indexes),
        'WAL of commits': each(written.rows[0]?.commits),
        'WAL records': each(written.rows[0]?.records),
        'tuple locks': each(written.rows[0]?.locks),
        'index entries': each(written.rows[0]?.entries),
        'rows written': each(written.rows[0]?.rows),
        statements: each(executed.rows[0]?.statements),
        buffers: each(executed.rows[0]?.buffers),
      },
      shared: {
        'Redis commands': each(redisCommands),
        'batch of placement': meanSince(since.batches, batches, 'placement'),
        'batch of settlement': meanSince(since.batches, batches, 'settlement'),
        'batch of attempts': meanSince(since.batches, batches, 'attempts'),
      },
    };
  }

  /** Commands that Redis has executed, those of scripts included. */
  private async redisCommands(): Promise<number> {
    return Number(/total_commands_processed:(\d+)/.exec(await this.redis.info('stats'))?.[1]);
  }

  private async batches(): Promise<Batches> {
    const pages = this.managementPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    const text = (await Promise.all(pages)).join('\n');
    const total = (part: 'count' | 'sum', writer: Writer): number => {
      const lines = text.matchAll(
        new RegExp(`^topup_group_commit_batch_size_${part}\\{writer="${writer}"\\} (\\d+)$`, 'gm'),
      );
      return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    return new Map(
      WRITERS.map((writer) => [writer, { count: total('count', writer), commands: total('sum', writer) }]),
    );
  }

  private spent(): Spent {
    const { api, worker, postgres, redis } = this.processes;
    const named = [
      [api, 'API'],
      [worker, 'worker'],
      [redis, 'Redis'],
    ] as const;
    const servers = childrenOf(postgres).map(
      (pid) => [pid, SERVES_CLIENT.test(titleOf(pid)) ? 'backends' : 'writers'] as const,
    );
    return new Map([...named, ...servers].map(([pid, by]) => [pid, { by, us: cpuOf(pid) }]));
  }
}

/** Written by recurring tasks, as often as time passes: no cost of an order, and more for each order on a slow machine. */
const WRITTEN_BY_TIME = ['minute_figures', 'worker_processes', 'supplier_states'];

const WRITTEN = `
  WITH by_time AS (
    SELECT start_lsn FROM pg_get_wal_block_info($1, $2, false) WHERE relfilenode IN (
      SELECT pg_relation_filenode(written.oid) FROM pg_class written LEFT JOIN pg_index ON indexrelid = written.oid
      WHERE coalesce(indrelid, written.oid) = ANY ($3::text[]::regclass[])))
  SELECT sum(record_length) AS bytes, count(*) AS records,
    sum(record_length) FILTER (WHERE resource_manager IN ('Heap', 'Heap2')) AS tables,
    sum(record_length) FILTER (WHERE resource_manager = 'Btree') AS indexes,
    sum(record_length) FILTER (WHERE resource_manager = 'Transaction') AS commits,
    count(*) FILTER (WHERE resource_manager || '/' || record_type IN ('Heap/LOCK', 'Heap2/LOCK_UPDATED')) AS locks,
    count(*) FILTER (WHERE resource_manager || '/' || record_type ~ '^Btree/(INSERT_LEAF|INSERT_POST|SPLIT)') AS entries,
    count(*) FILTER (WHERE resource_manager || '/' || record_type ~ '^Heap/(INSERT|UPDATE|HOT_UPDATE|DELETE)') AS rows
  FROM pg_get_wal_records_info($1, $2) WHERE start_lsn NOT IN (SELECT start_lsn FROM by_time)`;

/** The mean size of a writer's batches between two readings; 0 if it wrote none. */
function meanSince(before: Batches, after: Batches, writer: Writer): number {
  const from = before.get(writer) ?? { count: 0, commands: 0 };
  const to = after.get(writer) ?? from;
  return (to.commands - from.commands) / Math.max(1, to.count - from.count);
}

/** The fields of /proc/PID/stat behind the name of the program, which may hold spaces. */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** Of all threads, user and system. */
export const cpuOf = (pid: number): number => {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
};

const titleOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return parentOf(pid) === parent;
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
