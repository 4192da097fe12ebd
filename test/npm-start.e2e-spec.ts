import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { projectRoot } from '../src/core/project-root.js';
import { readStackFile } from '../src/cli/local-stack/stack-file.js';
import { fetchServed } from './support/until-served.js';

describe('npm start', () => {
  const script = path.join(projectRoot, 'scripts', 'start.mjs');

  interface Stack {
    output(): string;
    /** Resolves with the exit code. */
    ended: Promise<unknown>;
    /** Sends the signal of Ctrl-C. */
    interrupt(): void;
  }

  let directory: string;
  let stacks: Stack[];

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'topup-start-'));
    stacks = [];
  });

  afterEach(async () => {
    for (const stack of stacks) {
      stack.interrupt();
      await stack.ended;
    }
    rmSync(directory, { recursive: true, force: true });
  });

  function launch(): Stack {
    const names = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'NODE_ENV', 'NODE_OPTIONS'];
    const given = Object.entries(process.env).filter(([name]) => !names.includes(name));
    const ports = { PORT: '0', MANAGEMENT_PORT: '0', CONSOLE_PORT: '0' };
    const env = { ...Object.fromEntries(given), TOPUP_DATA_DIR: directory, ...ports };
    const child = spawn(process.execPath, [script], { env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const ended = once(child, 'close').then(([code]) => code as unknown);
    const interrupt = (): void => void child.kill('SIGINT');
    const stack = { output: () => output, ended, interrupt };
    stacks.push(stack);
    return stack;
  }

  /** Waits for the last line of the instructions. @returns the whole output. */
  async function ready(stack: Stack): Promise<string> {
    const ended = stack.ended.then((code) =>
      Promise.reject(new Error(`ended with ${String(code)}: ${stack.output()}`)),
    );
    ended.catch(() => undefined);
    while (!stack.output().includes('Ctrl-C stops everything')) await Promise.race([sleep(50), ended]);
    return stack.output();
  }

  const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `nothing like ${String(pattern)}`;

  test('leads from nothing to a completed order, and finds it again at the next start', async () => {
    const first = launch();
    const text = await ready(first);
    const headers = {
      'X-API-Key': found(text, /Demo API key +(\S+)/),
      'Content-Type': 'application/json',
    };
    const orders = found(text, /curl -sS -X POST (\S+)/);
    // The first order is in the sandbox, so nothing is bought.
    const sandboxKey = found(text, /Sandbox key +(\S+)/);
    expect(sandboxKey).toMatch(/^topup_test_/);
    expect(found(text, /-X POST \S+ -H 'X-API-Key: (\S+)'/)).toBe(sandboxKey);
    // The words of the line after a shell's parsing.
    const body = spawnSync('sh', ['-c', `printf %s ${found(text, / -d (".*")$/m)}`], {
      encoding: 'utf8',
    }).stdout;
    const created = await fetchServed(orders, { method: 'POST', headers, body });
    expect(created.status).toBe(200);
    const tried = await fetchServed(orders, {
      method: 'POST',
      headers: { ...headers, 'X-API-Key': sandboxKey },
      body,
    });
    expect(tried.status).toBe(200);
    const { reference_id: reference } = (await created.json()) as { reference_id: string };
    const status = async (url: string): Promise<unknown> =>
      ((await (await fetchServed(`${url}/${reference}`, { headers })).json()) as { status: unknown }).status;
    while ((await status(orders)) !== 'completed') await sleep(50);
    expect(readStackFile(directory)).toMatchObject({ apiUrl: orders.replace('/v1/orders', '') });

    const link = new URL(found(text, /set the password of admin@localhost: (\S+)\)/));
    // The console starts last.
    while ((await fetch(`${link.origin}/readyz`).catch(() => null))?.status !== 200) await sleep(50);
    const setUp = await fetchServed(`${link.origin}/api/set-up`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: link.origin },
      body: JSON.stringify({ token: link.hash.slice(1), password: 'a phrase that nobody else has' }),
    });
    expect(setUp.status).toBe(200);
    expect(await (await fetch(link.origin)).text()).toContain('<div id="root">');

    const second = launch();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`is running on ${directory} already`);

    first.interrupt();
    expect(await first.ended).toBe(0);
    expect(readStackFile(directory)).toBeNull();

    const third = launch();
    const again = await ready(third);
    expect(found(again, /Demo API key +(\S+)/)).toBe(headers['X-API-Key']);
    expect(await status(found(again, /curl -sS -X POST (\S+)/))).toBe('completed');
    expect(again).toContain('(sign in as admin@localhost)');
    third.interrupt();
    expect(await third.ended).toBe(0);
  });
});
