import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../support/servers.ts', import.meta.url));
const typescript = new URL('../../scripts/typescript.mjs', import.meta.url).href;

/**
 * Starts PostgreSQL and Redis for the suites of one run. A separate process owns the servers. It ends, and cleans up, when its
 * standard input closes, even if Jest is killed.
 * @returns the variables with the servers' addresses, and a function that stops them and waits until their files are removed.
 */
export async function startServers() {
  const owner = spawn(process.execPath, ['--enable-source-maps', '--import', typescript, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Its own process group, so that Ctrl-C interrupts the tests and not their servers.
    detached: true,
  });
  const ended = once(owner, 'exit');
  const env = await Promise.race([
    once(createInterface(owner.stdout), 'line').then(([line]) => JSON.parse(line)),
    ended.then(([code]) => {
      throw new Error(`The servers for the tests did not start (exit code ${code}); see above.`);
    }),
  ]);
  const stop = async () => {
    owner.stdin.end();
    await ended;
  };
  return { env, stop };
}
