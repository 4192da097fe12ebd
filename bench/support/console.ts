import type { ChildProcess } from 'node:child_process';
import { freePort } from '../../tools/local-stack/ports.js';
import { untilReady, type BenchStack } from './stack.js';

export interface BenchConsole {
  child: ChildProcess;
  url: string;
  /** The time from its start until it was ready. */
  readyMs: number;
}

/** Starts the operators' console without a second factor. */
export async function startConsole(stack: BenchStack): Promise<BenchConsole> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedMs = performance.now();
  const env = {
    CONSOLE_PORT: String(port),
    CONSOLE_REQUIRE_2FA: 'none',
    CONSOLE_TRUSTED_PROXIES: '127.0.0.1',
  };
  const child = stack.start('dist/src/console.js', env, ['--max-semi-space-size=4']);
  await untilReady(url, child, 50);
  return { child, url, readyMs: performance.now() - startedMs };
}
