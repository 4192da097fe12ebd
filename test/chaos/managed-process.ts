import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

export interface ProcessOptions {
  name: string;
  /** The script and its arguments. */
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Receives what it writes, over all its lives. */
  logFile: string;
}

/** A Node.js process that is started, killed and started again. */
export class ManagedProcess {
  /** How it ended when nobody had ended it. */
  readonly surprises: string[] = [];
  private child: ChildProcess | undefined;

  constructor(private readonly options: ProcessOptions) {}

  start(): void {
    const { name, args, cwd, env, logFile } = this.options;
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', log, log] });
    closeSync(log);
    this.child = child;
    child.once('exit', (code, signal) => {
      if (this.child === child)
        this.surprises.push(`${name} ended by itself: exit code ${code}, signal ${signal}`);
    });
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Asks it to end in good order. @returns its exit code. */
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

  /** Without waiting, for the end of this process. */
  abandon(): void {
    const child = this.child;
    this.child = undefined;
    child?.kill('SIGKILL');
  }
}
