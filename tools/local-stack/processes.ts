import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit } from './server-process.js';

/** A running process that can be ended. */
export interface Running {
  pid: number;
  /** Resolves once it has ended for any reason, with words that say how. */
  ended: Promise<string>;
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
  /** Ends it at once, without waiting. */
  kill(): void;
}

export interface NodeCommand {
  /** Node's options and the file to run. */
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The time to stop before it is killed. */
  stopTimeoutMs: number;
  /** Receives its output, line by line. */
  onLine: (line: string) => void;
  /** Whether the processes that it started end with it. */
  isGroup?: boolean;
}

/** Starts a Node.js program as a child process. */
export function startNode(command: NodeCommand): Running {
  // A process group of its own, so that Ctrl-C reaches only this process, which ends its children in order.
  const child = spawn(process.execPath, ['--enable-source-maps', ...command.args], {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) forwardLines(stream, command.onLine);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    // "close" comes after the last line of output, "exit" may come before it.
    child.once('close', (code, signal) => resolve(describeExit(code, signal)));
  });
  const send: Send = (signal) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(command.isGroup ? -child.pid : child.pid, signal);
  };
  return {
    pid: child.pid ?? 0,
    ended,
    stop: () => stopChild(send, ended, command.stopTimeoutMs),
    kill: () => send('SIGKILL'),
  };
}

/** The children of this process. It ends them in reverse order of their start, servers last, and reports one that ends by itself. */
export class Supervisor {
  private readonly children: Running[] = [];
  private stopping: Promise<void> | null = null;
  private reportLoss: (reason: Error) => void = () => undefined;
  /** Rejects when a child ends that was not stopped. */
  readonly lost: Promise<never>;

  constructor() {
    this.lost = new Promise((_, reject) => (this.reportLoss = reject));
    // The caller listens to it later. An earlier loss must not count as an unhandled rejection.
    this.lost.catch(() => undefined);
  }

  /**
   * Takes charge of a running child.
   * @param isServer whether the other children need it: then it ends after them, even if it started later.
   * @throws Error, after ending the child, when the supervisor is stopping already.
   */
  async add<T extends Running>(name: string, running: T, { isServer = false } = {}): Promise<T> {
    if (this.stopping !== null) {
      await running.stop();
      throw new Error(`${name} was started too late`);
    }
    if (isServer) this.children.unshift(running);
    else this.children.push(running);
    void running.ended.then((how) => {
      if (this.stopping === null) this.reportLoss(new ChildLost(`${name} ${how}`));
    });
    return running;
  }

  /** Takes charge of a child that ends by itself when its work is done. Its failure does not stop the others. */
  addTask(running: Running): void {
    if (this.stopping === null) this.children.push(running);
    else void running.stop();
  }

  /** Ends every child, the youngest first. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  /** Ends every child at once. */
  kill(): void {
    this.stopping ??= Promise.resolve();
    for (const child of this.children) child.kill();
  }

  private async stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const child of this.children.toReversed()) {
      // A child that does not stop must not keep the others running.
      await child.stop().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** A child ended by itself. */
export class ChildLost extends Error {}

type Send = (signal: NodeJS.Signals) => void;

async function stopChild(send: Send, ended: Promise<string>, timeoutMs: number): Promise<void> {
  send('SIGTERM');
  const timeout = sleep(timeoutMs, 'timeout' as const, { ref: false });
  if ((await Promise.race([ended, timeout])) !== 'timeout') return;
  send('SIGKILL');
  await ended;
}

function forwardLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine);
}
