import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../tools/local-stack/ports.js';
import { median, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';

// Time to start: a command of the command line from its start to its end, alone and three at once, and an API and a
// worker from their start to their readiness; of the build, and of the compiler's output before packing, with every
// package in node_modules. Goals: a command in 0.4 s, ready within 1 s.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const POLL_MS = 5;
const BUILDS = { build: 'dist', 'as compiled': 'dist/as-compiled' };

compile(BUILDS['as compiled']);
const stack = await startStack();

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work();
  return round((performance.now() - startedMs) / 1_000, 3);
};

async function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...stack.environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}

/** @returns the time until a process was ready. */
async function untilReady(script: string, portVariable: 'PORT' | 'MANAGEMENT_PORT'): Promise<number> {
  const port = await freePort();
  const ports = { PORT: String(await freePort()), MANAGEMENT_PORT: '0', [portVariable]: String(port) };
  const env = { ...process.env, ...stack.environment, ...ports };
  const startedMs = performance.now();
  const child = spawn(process.execPath, [script], { env, stdio: 'inherit' });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode}`);
    await delay(POLL_MS);
  }
  const tookMs = performance.now() - startedMs;
  child.kill('SIGTERM');
  await once(child, 'exit');
  process.off('exit', end);
  return round(tookMs / 1_000, 3);
}

const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = { 'Node alone, s': await timed(() => run('-e', '0')) };
  for (const [name, directory] of Object.entries(BUILDS)) {
    const command = (): Promise<void> => run(`${directory}/src/cli.js`, 'merchant', 'list');
    figures[`command, ${name}, s`] = await timed(command);
    figures[`three commands, ${name}, s`] = await timed(() => Promise.all([command(), command(), command()]));
    figures[`API, ${name}, s`] = await untilReady(`${directory}/src/main.js`, 'PORT');
    figures[`worker, ${name}, s`] = await untilReady(`${directory}/src/worker.js`, 'MANAGEMENT_PORT');
  }
  rounds.push(figures);
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
const ratio = (what: string): number =>
  round(median(rounds.map((each) => (each[`${what}, build, s`] ?? NaN) / (each[`${what}, as compiled, s`] ?? NaN))), 2);
report('start', rounds, {
  ...Object.fromEntries(Object.keys(rounds[0] ?? {}).map((name) => [name, of(name)])),
  'command (goal 0.4 s), build / as compiled': ratio('command'),
  'three commands, build / as compiled': ratio('three commands'),
  'API (goal 1 s), build / as compiled': ratio('API'),
  'worker (goal 1 s), build / as compiled': ratio('worker'),
});
rmSync(BUILDS['as compiled'], { recursive: true });
await stack.stop();
process.exit(0);

/** Runs only the first step of the build. */
function compile(directory: string): void {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', directory];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
