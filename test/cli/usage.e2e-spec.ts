import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { identify } from '../../src/cli/local-stack/process-table.js';
import { writeStackFile } from '../../src/cli/local-stack/stack-file.js';
import { OperatorCommand } from '../../src/cli/command-group.js';
import { GROUPS } from '../../src/cli/groups.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { MIGRATION_LOCK } from '../../src/database/schema.service.js';
import { whileLocked } from '../support/locks.js';
import { CommandLine, CommandLineProcess } from './command-line.js';

/** The commands of a group with their options. */
async function commandsOf(group: string): Promise<{ name: string; options: (string | undefined)[] }[]> {
  const { define } = await (GROUPS[group] as (typeof GROUPS)[string]).load();
  const command = new OperatorCommand(group).runBy(() => () => Promise.resolve());
  const shell = { answer: () => undefined, wholeProgram: () => Promise.resolve(command) };
  define(command, shell);
  return [command, ...command.commands].map((each) => ({
    name: each === command ? group : `${group} ${each.name()}`,
    options: each.options.map(({ long }) => long),
  }));
}

describe('topup', () => {
  const commandLine = new CommandLine({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' });

  it('lists its commands, and exits with 0 only if help was requested', async () => {
    const help = await commandLine.runProcess('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const group of [
      'merchant',
      'api-key',
      'wallet',
      'supplier',
      'product',
      'price',
      'order',
      'webhook',
      'audit',
    ]) {
      expect(help.stdout).toMatch(new RegExp(`^  ${group} `, 'm'));
    }
    const nothing = await commandLine.run();
    expect(nothing).toEqual({ code: 1, stdout: '', stderr: help.stdout });
  });

  it('shows the options and an example of a command', async () => {
    const { code, stdout } = await commandLine.run('help', 'wallet');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('credit [options]') as unknown as string,
    });
    const credit = await commandLine.run('wallet', 'credit', '--help');
    expect(credit.stdout).toMatch(/--reference <text>[^]+Example:\n {2}\$ topup wallet credit --merchant 1 --amount/);
  });

  it('prints its version, also as one JSON value', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await commandLine.run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await commandLine.json('--version')).toEqual({ version });
  });

  it('has --reason at every command that writes to the audit log', async () => {
    const commands = [];
    // One after the other, because jest cannot load a module twice at the same time.
    for (const name of Object.keys(GROUPS)) commands.push(...(await commandsOf(name)));
    // For the command `log`, --reason is a filter.
    const kept = commands.filter(({ name, options }) => options.includes('--operator') && name !== 'log');
    expect(kept.length).toBeGreaterThan(12);
    expect(kept.filter(({ options }) => !options.includes('--reason'))).toEqual([]);
  });

  it('names the problem of a wrong line, and where to find help', async () => {
    await commandLine.refusedAll([
      [['merchnt', 'list'], /unknown command 'merchnt'\n\(Did you mean merchant\?\)[^]*topup --help/],
      [['merchant', 'lst'], /unknown command 'lst'[^]*topup merchant --help/],
      [['merchant', 'list', '--all'], /unknown option '--all'[^]*topup merchant list --help/],
      [['merchant', 'list', 'all'], /too many arguments/],
      [['merchant', 'create'], /required option '--name <name>' not specified/],
      [['merchant', 'show', '1.0'], /'1\.0' is invalid .+ It must be an id: a whole number such as 12/],
      [['wallet', 'debit', '--merchant', '1', '--reference', 'r', '--amount', '-5'], /'-5' is invalid.+in baht/],
      [['month', 'archive', '--through', '2026-05', '--to', ''], /'' is invalid.+It must be a directory such as/],
      [['order', 'resolve', 'o', '--unit', '1.1', '--reason', 'r', '--failed', 'BROKEN'], /one of INVALID_PLAYER, /],
    ]);
  });
});

describe('topup without a database', () => {
  it('reports at once that PostgreSQL is unreachable, and never prints its password', async () => {
    const commandLine = new CommandLineProcess({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' });
    const message = await commandLine.refused('merchant', 'list');
    expect(message).toMatch(/PostgreSQL cannot be used at 127\.0\.0\.1:1\/none: connect ECONNREFUSED.+DATABASE_URL/);
    expect(message).not.toContain('secret');
  });

  it('waits for a server that does not answer, but not for ever', async () => {
    let hungUp = 0;
    const server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.on('close', () => hungUp++);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const commandLine = new CommandLineProcess({ DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` });
    expect(await commandLine.refused('merchant', 'list')).toMatch(/PostgreSQL cannot be used at .+ timeout/);
    await eventually(
      () => hungUp,
      (times) => times > 0,
    );
    server.close();
  });

  it('lists the adapters of channels', async () => {
    const nowhere = new CommandLine({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    const adapters = await nowhere.json<{ adapter: string }[]>('channel', 'adapters');
    expect(adapters.map(({ adapter }) => adapter)).toContain('promptpay');
  });

  it('explains how to start the local stack if none runs', async () => {
    const commandLine = new CommandLine({
      TOPUP_DATA_DIR: `/nonexistent/${randomBytes(4).toString('hex')}`,
    });
    expect(await commandLine.refused('merchant', 'list')).toBe(
      'error: the local stack is not running: start it with npm start, or set DATABASE_URL\n',
    );
  });

  it('finds the running local stack, and its key', async () => {
    const database = await createTestDatabase();
    const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
    const secretsKeyFile = path.join(directory, 'key');
    writeFileSync(secretsKeyFile, `${randomBytes(32).toString('base64')}\n`);
    const elsewhere = { redisUrl: 'redis://127.0.0.1:1', simulatorUrl: '', apiUrl: '' };
    writeStackFile(directory, {
      databaseUrl: database.url,
      secretsKeyFile,
      ...elsewhere,
      ...identify(process.pid),
    });
    const commandLine = new CommandLineProcess({ TOPUP_DATA_DIR: directory });
    const supplier = ['--code', 'acme', '--adapter', 'http', '--base-url', 'http://acme.test', '--token', 's3cr3t'];
    expect(await commandLine.json('supplier', 'set', ...supplier)).toMatchObject({ code: 'acme' });
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  it('names every mistake in the configuration', async () => {
    const commandLine = new CommandLine({ DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud' });
    expect(await commandLine.refused('merchant', 'list')).toMatch(/- DATABASE_URL must be[^]+- LOG_LEVEL must be/);
  });
});

describe('topup on a new database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  beforeEach(async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await client.end();
  });

  afterAll(() => database.drop());

  it('creates the schema by itself, and keeps log lines off standard output', async () => {
    const commandLine = new CommandLineProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info' });
    const { code, stdout, stderr } = await commandLine.run('--json', 'merchant', 'create', '--name', 'First');
    expect({ code, merchant: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      merchant: {
        id: 1,
        name: 'First',
        status: 'active',
        sandbox: false,
        weight: 1,
        created_at: expect.any(String) as unknown as string,
      },
    });
    expect(stderr).toMatch(/"migrated"/);
  });

  it('lets processes that start together create it in turns', async () => {
    const commandLine = new CommandLineProcess({ DATABASE_URL: database.url });
    const runs = await Promise.all([1, 2, 3].map(() => commandLine.run('merchant', 'list', '--json')));
    expect(runs.map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual([[], [], []]);
  });

  it('says that another process is still changing the schema, and runs when this has ended', async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    let said = '';
    stderr.on('data', (part) => (said += String(part)));
    const printed = text(stdout);
    const lock = `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const run = await whileLocked({ config: { DATABASE_URL: database.url } }, lock, async () => {
      const code = new CommandLine({ DATABASE_URL: database.url }).runWith(
        { stdout, stderr },
        'merchant',
        'list',
        '--json',
      );
      await Promise.race([
        code,
        eventually(
          () => said,
          (words) => words !== '',
        ),
      ]);
      return { code };
    });
    expect(await run.code).toBe(0);
    stdout.end();
    expect(said).toMatch(/^The schema is being changed to that of this version\. .+\n$/);
    expect(JSON.parse(await printed)).toEqual([]);
  });
});
