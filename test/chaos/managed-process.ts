import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { removeFakeTimeOf } from './fake-time.js';
import type { PlannedDeath } from './fault-plan.js';

export interface ProcessOptions {
  name: string;
  /** The script and its arguments. */
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The log of its output, over all starts. */
  logFile: string;
  /** The output that shows that it has started. */
  readyText: string;
}

const START_WITHIN_MS = 300_000;
const POLL_MS = 50;

/** A Node.js process that is started, killed and started again. */
export class ManagedProcess {
  /** The exit of a process that ended by itself. */
  readonly surprises: string[] = [];
  private child: ChildProcess | undefined;

  constructor(private readonly options: ProcessOptions) {}

  start(): void {
    const child = this.spawn({});
    child.once('exit', (code, signal) => {
      if (this.child === child) this.surprise(code, signal);
    });
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /**
   * Ends it, and starts it with an armed failpoint, which production refuses. It does not run afterwards.
   * @returns whether the failpoint ended it within the time.
   */
  async dieAt({ failpoint, pass }: PlannedDeath, withinMs: number): Promise<boolean> {
    await this.kill();
    const logged = statSync(this.options.logFile).size;
    const child = this.spawn({ NODE_ENV: 'test', TOPUP_FAILPOINTS: `${failpoint}=kill@${pass}` });
    const isReady = (): boolean => readFileSync(this.options.logFile).subarray(logged).includes(this.options.readyText);
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await until(() => hasEnded() || isReady(), START_WITHIN_MS);
    const died = await until(hasEnded, withinMs);
    if (child.exitCode !== null) this.surprise(child.exitCode, null);
    await this.kill();
    return died;
  }

  /** Stops it in good order. @returns its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.child;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exit) as [number | null];
    return code;
  }

  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Kills it without waiting, at the end of this process. */
  abandon(): void {
    const child = this.child;
    this.child = undefined;
    child?.kill('SIGKILL');
    if (child?.pid !== undefined) removeFakeTimeOf(child.pid);
  }

  private spawn(extraEnv: NodeJS.ProcessEnv): ChildProcess {
    const { args, cwd, env, logFile } = this.options;
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...env, ...extraEnv },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    child.once('exit', () => child.pid !== undefined && removeFakeTimeOf(child.pid));
    return child;
  }

  private surprise(code: number | null, signal: NodeJS.Signals | null): void {
    this.surprises.push(`${this.options.name} ended by itself: exit code ${code}, signal ${signal}`);
  }
}

/** @returns whether the condition held in time. */
async function until(condition: () => boolean, withinMs: number): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await delay(POLL_MS)) {
    if (condition()) return true;
  }
  return condition();
}
