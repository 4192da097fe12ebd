import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Short enough for every run of the tests; `npm run chaos` goes on for as long as one likes. */
const SEED = '1455';
const MINUTES = '0.3';
const PATIENCE_MS = 400_000;

const checkout = fileURLToPath(new URL('..', import.meta.url));
let run: ChildProcess | undefined;

afterAll(() => {
  run?.kill('SIGTERM');
});

describe('the service under faults', () => {
  it(
    'keeps the books of clients, PostgreSQL, supplier and receivers in agreement',
    async () => {
      const args = ['--import', './scripts/typescript.mjs', 'test/chaos/run.ts'];
      const child = spawn(process.execPath, [...args, '--seed', SEED, '--minutes', MINUTES], {
        cwd: checkout,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      run = child;
      const closed = once(child, 'close');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = (await closed) as [number | null];
      // On a failure this shows the whole run with its evidence.
      expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
      expect(stdout).toMatch(`seed ${SEED}: the books agree`);
    },
    PATIENCE_MS,
  );
});
