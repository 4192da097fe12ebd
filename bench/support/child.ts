import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a helper of the benchmarks as a process, which ends with this one or when it is disconnected. */
export async function startHelper(
  name: string,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(new URL(`${name}.ts`, new URL('..', import.meta.url))), {
    env: { ...process.env, ...env },
    execArgv: ['--import', new URL('../../scripts/typescript.mjs', import.meta.url).href],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, url: `http://127.0.0.1:${port}` };
}
