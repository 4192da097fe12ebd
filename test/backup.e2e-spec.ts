import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { projectRoot } from '../src/core/project-root.js';
import { CommandLine } from './cli/command-line.js';
import { createEmptyDatabase, type TestDatabase } from './support/database.js';
import { findDebianPostgres, startDebianPostgres, type DebianPostgres } from './support/debian-postgres.js';
import { eventually } from './support/eventually.js';
import { refused } from './support/fake-supplier.js';
import { TestStack } from './support/stack.js';

const programs = await findDebianPostgres();
if (programs === null)
  process.stderr.write('SKIPPED, because there is no pg_dump and none can be fetched: backups of the database\n');

const SCRIPT = path.join(projectRoot, 'deploy/backup/backup.sh');
const OLD = Array.from({ length: 14 }, (_, day) => `topup-2026-01-${String(day + 10)}T203000Z.dump`);

interface Run {
  child: ChildProcess;
  said: string;
}

interface Ended {
  code: number | null;
  said: string;
}

function run(program: string, args: string[], env: Record<string, string>): Run {
  // A process group of its own, which can be killed as a whole.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const started: Run = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (started.said += String(part)));
  return started;
}

async function ended(started: Run): Promise<Ended> {
  const [code] = (await once(started.child, 'close')) as [number | null];
  return { code, said: started.said };
}

(programs === null ? describe.skip : describe)('The backup', () => {
  let server: DebianPostgres;
  let stack: TestStack;
  let restored: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    if (programs === null) return;
    server = await startDebianPostgres(programs);
    process.env.TEST_POSTGRES_URL = server.url;
    stack = await TestStack.start();
    restored = await createEmptyDatabase();
    await fill();
  });

  afterAll(async () => {
    await stack.close();
    await restored.drop();
    await server.stop();
  });

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'topup-backups-'));
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await stack.sql('TRUNCATE backups');
  });

  /** Orders that ended and one that did not, each with its money. */
  async function fill(): Promise<void> {
    const merchant = await stack.merchant('1000.00');
    const sku = await stack.product('35.00');
    stack.supplier.script('unlucky', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    for (const user of ['player-1', 'unlucky']) {
      const { reference_id } = await stack.order(merchant, [{ sku, quantity: 2 }], user);
      await stack.orderWith(merchant, reference_id, 'completed', 'failed');
    }
    await stack.stopWorkers();
    await stack.order(merchant, [{ sku, quantity: 3 }]);
  }

  /** Starts the script. @param before a command of the same shell. */
  function start(args: string[], { url = stack.config.DATABASE_URL, before = ':', env = {} } = {}): Run {
    const { hostname, port, username, pathname } = new URL(url);
    const database = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) };
    const settings = { ...server.env, ...database, BACKUP_FOLDER: folder, ...env };
    return run('sh', ['-c', `${before}; exec sh "$0" "$@"`, SCRIPT, ...args], settings);
  }

  const backUp = (options = {}): Promise<Ended> => ended(start(['now'], options));
  const dumps = (): string[] => readdirSync(folder).filter((name) => /^topup-.+\.dump$/.test(name));
  const unfinished = (): string[] => readdirSync(folder).filter((name) => name.startsWith('.unfinished-'));
  const attempts = (): Promise<object[]> =>
    stack.sql('SELECT completed_at IS NOT NULL AS is_complete, bytes::int FROM backups ORDER BY id');

  /** Restores as docs/operations.md tells. */
  async function restore(dump: string): Promise<void> {
    const args = ['--exit-on-error', '--no-owner', `--dbname=${restored.url}`, path.join(folder, dump)];
    expect(await ended(run('pg_restore', args, server.env))).toEqual({ code: 0, said: '' });
  }

  async function rowsOf(url: string): Promise<Record<string, number>> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ name: string; rows: number }>(`
      SELECT relname AS name,
             (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', relname), false, true, '')))[1]::text::int
             AS rows
      FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        -- The API writes its counts meanwhile.
        AND relname <> 'minute_figures' ORDER BY 1`);
    await client.end();
    return Object.fromEntries(rows.map((row) => [row.name, row.rows]));
  }

  /** Keeps pg_dump waiting for a table. */
  async function whileLocked(act: () => Promise<void>): Promise<void> {
    const client = await stack.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = 0`);
      await client.query('LOCK TABLE transfers IN ACCESS EXCLUSIVE MODE');
      await act();
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  const waitingDumps = (): Promise<{ pid: number }[]> =>
    eventually(
      () =>
        stack.sql<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'pg_dump' AND wait_event_type = 'Lock'`,
        ),
      (found) => found.length > 0,
    );

  it('has every row, and its restored books are in order', async () => {
    expect(await backUp()).toMatchObject({ code: 0, said: expect.stringMatching(/topup-.+ is whole\n/) });
    const [dump = '', ...others] = dumps();
    expect({ others, unfinished: unfinished() }).toEqual({ others: [], unfinished: [] });
    expect(await attempts()).toEqual([{ is_complete: true, bytes: statSync(path.join(folder, dump)).size }]);
    expect(statSync(path.join(folder, dump)).mode & 0o077).toBe(0);

    await restore(dump);
    const counts = await rowsOf(restored.url);
    expect(counts).toEqual(await rowsOf(stack.config.DATABASE_URL));
    expect(counts).toMatchObject({ orders: 3, transfers: 6, order_units: 7, backups: 1 });
    const audit = await new CommandLine({ DATABASE_URL: restored.url }).json<{ ok: boolean }>('audit');
    expect(audit.ok).toBe(true);
  });

  it('is no file where the disk is full, and no earlier dump is removed', async () => {
    for (const name of OLD) writeFileSync(path.join(folder, name), '');
    // A write beyond this size fails, as on a full disk.
    const { code, said } = await backUp({ before: `trap '' XFSZ; ulimit -f 20`, env: { BACKUP_KEEP: '3' } });
    expect(said).toMatch(/File too large[^]+no dump was added, and none was removed/);
    expect(code).toBe(1);
    expect({ dumps: dumps(), unfinished: unfinished() }).toEqual({ dumps: OLD, unfinished: [] });
    expect(await attempts()).toEqual([{ is_complete: false, bytes: null }]);
  });

  it('is no file where PostgreSQL ends the dump', async () => {
    await whileLocked(async () => {
      const running = backUp();
      for (const { pid } of await waitingDumps()) await stack.sql('SELECT pg_terminate_backend($1)', [pid]);
      expect(await running).toMatchObject({ code: 1, said: expect.stringContaining('pg_dump failed') });
    });
    expect({ dumps: dumps(), unfinished: unfinished() }).toEqual({ dumps: [], unfinished: [] });
  });

  it('counts as none after it was killed, and the next one removes what is left', async () => {
    await whileLocked(async () => {
      const { child } = start(['now']);
      const killed = once(child, 'exit');
      await waitingDumps();
      expect(await backUp()).toMatchObject({ code: 1, said: expect.stringContaining('another backup is under way') });
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await killed;
    });
    expect({ dumps: dumps(), unfinished: unfinished().length }).toEqual({ dumps: [], unfinished: 1 });
    // The killed processes of the group hold its lock until they are gone.
    const next = await eventually(backUp, ({ said }) => !said.includes('another backup is under way'));
    expect(next).toMatchObject({ code: 0 });
    expect({ dumps: dumps().length, unfinished: unfinished() }).toEqual({ dumps: 1, unfinished: [] });
    expect(await attempts()).toMatchObject([{ is_complete: false }, { is_complete: true }]);
  });

  it('keeps the newest dumps, also after a clock was ahead, and removes no other file', async () => {
    const ahead = 'topup-2099-01-01T203000Z.dump';
    for (const name of [...OLD, ahead, 'topup-before-upgrade.dump', 'notes.txt'])
      writeFileSync(path.join(folder, name), '');
    const { code, said } = await backUp();
    expect(code).toBe(0);
    expect(said.match(/topup-\S+(?= was removed)/g)).toEqual([OLD[0], ahead]);
    const nightly = dumps()
      .filter((name) => name !== 'topup-before-upgrade.dump')
      .sort();
    expect(nightly).toEqual([...OLD.slice(1), expect.not.stringContaining('2026-01')]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['topup-before-upgrade.dump', 'notes.txt']));
  });

  it('is made of a database that has no table of backups yet', async () => {
    const empty = await createEmptyDatabase();
    const { code, said } = await backUp({ url: empty.url });
    await empty.drop();
    expect(said).toContain('could not be recorded');
    expect(code).toBe(0);
    expect(dumps()).toHaveLength(1);
  });

  it('names what the service waits for at its start', async () => {
    const empty = await createEmptyDatabase();
    const service = start([], { url: empty.url });
    await eventually(
      () => service.said,
      (said) => /waiting for the table of backups: .*"backups"/.test(said),
    );
    service.child.kill('SIGTERM');
    expect((await ended(service)).code).toBe(0);
    await empty.drop();
  });

  it('is made at the start of the service, unless there is one of the last day', async () => {
    for (const _start of ['first', 'second']) {
      const service = start([]);
      await eventually(
        () => service.said,
        (said) => said.includes('the next dump is due on'),
      );
      service.child.kill('SIGTERM');
      expect((await ended(service)).code).toBe(0);
      expect(await attempts()).toMatchObject([{ is_complete: true }]);
    }
  });

  it.each([
    ['BACKUP_AT', 'tonight-ish', 'BACKUP_AT must be a time such as 03:30, and is "tonight-ish"'],
    ['BACKUP_KEEP', '0', 'BACKUP_KEEP must be a number of dumps from 1, and is "0"'],
  ])('is refused with a wrong %s', async (name, value, sentence) => {
    expect(await backUp({ env: { [name]: value } })).toMatchObject({
      code: 1,
      said: expect.stringContaining(sentence),
    });
    expect(dumps()).toEqual([]);
  });
});
