import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../src/core/project-root.js';
import { keptPort } from './support/kept-port.js';
import type { Program } from './support/fetched-program.js';
import { findProgram, type ProgramName } from './support/programs.js';

const directory = mkdtempSync(path.join(tmpdir(), 'topup-ha-'));
chmodSync(directory, 0o755);
afterAll(() => rmSync(directory, { recursive: true }));

/** Finds a program and its version; null, with a message, if there is none. */
async function runnable(name: ProgramName, ask: string): Promise<Program | null> {
  const found = await findProgram(name);
  if (found !== null && spawnSync(found.program, [ask], { env: envOf(found) }).status === 0) return found;
  process.stderr.write(`SKIPPED, because there is no ${name} and none can be fetched: its settings\n`);
  return null;
}

const envOf = ({ env }: Program): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, ...env });

/** Copies a file of `deploy/ha`, with changes. @returns the path of the copy. */
function copyOf(name: string, ...changes: [from: string | RegExp, to: string][]): string {
  let text = readFileSync(path.join(projectRoot, 'deploy/ha', name), 'utf8');
  for (const [from, to] of changes) {
    expect(text).toMatch(from);
    text = text.replace(from, to);
  }
  const file = path.join(directory, `${changes.length}-${name}`);
  writeFileSync(file, text);
  return file;
}

const haproxy = await runnable('haproxy', '-v');
const pgbouncer = await runnable('pgbouncer', '--version');
const patroni = await runnable('patroni', '--version');
const NONE: Program = { program: '', env: {} };

/** Runs a check. @returns its exit code and its output. */
function check(found: Program | null, ...args: string[]): [number | null, string] {
  const { program } = found ?? NONE;
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: envOf(found ?? NONE),
  });
  return [status, stdout + stderr];
}

(haproxy ? describe : describe.skip)('HAProxy', () => {
  it('accepts its settings', () => {
    expect(check(haproxy, '-c', '-f', copyOf('haproxy.cfg'))).toEqual([0, expect.stringMatching(/is valid/)]);
  });

  it('accepts those of the load balancer in front of the APIs, with its own answer', () => {
    const answer: [RegExp, string] = [/\/etc\/haproxy\/unavailable\.http/g, copyOf('unavailable.http')];
    expect(check(haproxy, '-c', '-f', copyOf('balancer.cfg', answer))).toEqual([0, expect.stringMatching(/is valid/)]);
  });

  it('refuses a mistake in them', () => {
    const wrong = copyOf('haproxy.cfg', ['on-marked-down', 'on-market-down']);
    expect(check(haproxy, '-c', '-f', wrong)).toEqual([1, expect.stringMatching(/on-market-down/)]);
  });
});

describe('Patroni’s own API', () => {
  it('changes nothing for a caller without the password', () => {
    const settings = readFileSync(path.join(projectRoot, 'deploy/ha/patroni.yml'), 'utf8');
    const [, api = ''] = /^restapi:\n((?: {2}.*\n)+)/m.exec(settings) ?? [];
    expect(api).toMatch(/^ {2}authentication: \{ username: \w+ \}$/m);
    expect(api).toMatch(/^ {2}allowlist: \[.+\]$/m);
    expect(api).toMatch(/PATRONI_RESTAPI_PASSWORD/);
    expect(settings).toMatch(/^etcd3:\n(?: {2}.*\n)* {2}protocol: https\n(?: {2}.*\n)* {2}username: \w+$/m);
  });
});

(patroni ? describe : describe.skip)('Patroni', () => {
  /** Leaves out settings about the machine of a database, because its programs are not here. */
  const problemsOf = (file: string): string[] =>
    check(patroni, '--validate-config', file)[1]
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('postgresql.bin_dir '));

  it('accepts its settings', () => {
    expect(problemsOf(copyOf('patroni.yml'))).toEqual([]);
  });

  it('refuses a mistake in them', () => {
    const wrong = copyOf('patroni.yml', ['scope: topup', 'scoop: topup']);
    expect(problemsOf(wrong)).toEqual([expect.stringMatching(/^scope .*not defined/)]);
  });
});

(pgbouncer ? describe : describe.skip)('PgBouncer', () => {
  const version = Number(/^PgBouncer 1\.(\d+)/.exec(check(pgbouncer, '--version')[1])?.[1]);
  /** Settings that only newer versions have; Debian 12 has an older one. */
  const known: [RegExp, string][] = version < 21 ? [[/^max_prepared_statements = 200$/m, '']] : [];

  /** Starts it. @returns its output until it was ready, or ended. */
  async function start(file: string): Promise<string> {
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const { program } = pgbouncer ?? NONE;
    const child = spawn(program, [...user, file], { env: envOf(pgbouncer ?? NONE) });
    let said = '';
    child.stderr.on('data', (data) => {
      said += String(data);
      if (said.includes('process up')) child.kill('SIGTERM');
    });
    await once(child, 'close');
    return said;
  }

  it('starts with its settings', async () => {
    const port = `listen_port = ${await keptPort()}\nunix_socket_dir =`;
    const said = await start(copyOf('pgbouncer.ini', ...known, ['listen_port = 6432', port]));
    expect(said).toContain('process up');
    expect(said).not.toMatch(/unknown parameter|invalid value/);
  });

  it('refuses a mistake in them', async () => {
    const wrong = copyOf('pgbouncer.ini', ...known, ['pool_mode', 'pull_mode'], ['listen_port = 6432', '']);
    expect(await start(wrong)).toMatch(/unknown parameter: pgbouncer\/pull_mode/);
  });
});
