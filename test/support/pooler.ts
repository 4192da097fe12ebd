import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { giveTo, serverOwner, serverUser } from '../../tools/local-stack/unprivileged.js';
import { endProcess } from './child-process.js';
import { eventually } from './eventually.js';
import type { Program } from './fetched-program.js';
import { keptPort } from './kept-port.js';

export interface RunningPooler {
  /** The URL of the database behind it. */
  url: string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode, in front of a test's database. */
export async function startPooler({ program, env }: Program, databaseUrl: string): Promise<RunningPooler> {
  const server = new URL(databaseUrl);
  const port = await keptPort();
  const directory = mkdtempSync(path.join(tmpdir(), 'topup-pooler-'));
  const settings = path.join(directory, 'pgbouncer.ini');
  const { hostname, port: serverPort, username, password, pathname } = server;
  writeFileSync(
    settings,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = extra_float_digits,options,lock_timeout,statement_timeout,idle_in_transaction_session_timeout
`,
  );
  const owner = serverOwner(directory);
  for (const file of [directory, settings]) giveTo(owner, file);
  const [command = '', ...args] = [
    ...serverUser(owner, { execute: [program], read: [settings] }).prefix,
    program,
    settings,
  ];
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore', cwd: '/' });
  const stop = async (): Promise<void> => {
    await endProcess(child);
    rmSync(directory, { recursive: true, force: true });
  };
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href;
  try {
    await eventually(
      () => answers(url),
      (isUp) => isUp,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    await client.query('SELECT');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
