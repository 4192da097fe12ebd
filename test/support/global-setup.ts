import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./servers.ts', import.meta.url));
const typescript = new URL('../../scripts/typescript.mjs', import.meta.url).href;

/**
 * Starts the servers of the tests before the first of them and tells the jest workers where they are. A process of
 * its own owns the servers: it ends, and cleans up, when its standard input closes, however jest ends.
 */
export default async function globalSetup(): Promise<void> {
  const owner = spawn(process.execPath, ['--enable-source-maps', '--import', typescript, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Its own process group, so that Ctrl-C interrupts the tests and not their servers.
    detached: true,
  });
  globalThis.topupTestServers = owner;
  const urls = await Promise.race([
    once(createInterface(owner.stdout), 'line').then(
      ([line]) => JSON.parse(String(line)) as Record<string, string>,
    ),
    once(owner, 'exit').then(([code]) => {
      throw new Error(`The servers for the tests did not start (exit code ${String(code)}); see above.`);
    }),
  ]);
  Object.assign(process.env, urls);
}

declare global {
  var topupTestServers: ReturnType<typeof spawn> | undefined;
}
