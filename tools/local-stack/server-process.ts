import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../src/cli/local-stack/errors.js';

/** A database server that this process started. */
export interface RunningServer {
  /** How clients reach it, password included. */
  url: string;
  port: number;
  pid: number;
  /** Resolves once the server has ended for any reason, with words that say how. */
  ended: Promise<string>;
  /** Stops the server and waits; harmless when it has ended already. */
  stop(): Promise<void>;
  /** Ends the server at once, without waiting. */
  kill(): void;
}

export interface ServerCommand {
  name: string;
  command: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Receives standard output and standard error. */
  logFile: string;
  /** The signals that stop it, in this order, each with the time to wait. */
  stopSignals: { signal: NodeJS.Signals; waitMs: number }[];
}

const maximumLogBytes = 5_000_000;
const pollMs = 25;

/** A server as a child process. Its output goes to a file, so that an error can show the last lines. */
export class ServerProcess {
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;
  private readonly logStart: number;
  private endedHow: string | null = null;

  constructor(private readonly options: ServerCommand) {
    const log = openLog(options.logFile);
    this.logStart = log.size;
    const [program = '', ...args] = options.command;
    // A process group of its own: Ctrl-C must not reach the database while its clients are still running.
    this.child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    closeSync(log.fd);
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => resolve((this.endedHow = `could not be started: ${error.message}`)));
      this.child.once('exit', (code, signal) => resolve((this.endedHow = describeExit(code, signal))));
    });
    // A process that exits early, such as an interrupted test, must not leave its server running.
    const kill = (): void => this.kill();
    process.once('exit', kill);
    void this.ended.then(() => process.off('exit', kill));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /**
   * Waits until `answers` is true; otherwise it stops the server.
   * @throws LocalError with the end of the log when the server ends first or does not answer within `timeoutMs`, and
   * every error of `answers`.
   */
  async waitUntil(answers: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    try {
      while (this.endedHow === null) {
        if (await Promise.race([answers(), this.ended.then(() => false)])) return;
        if (performance.now() > deadline) throw this.failure(`did not answer within ${timeoutMs / 1000} s`);
        await Promise.race([sleep(pollMs), this.ended]);
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
    throw this.failure(this.endedHow);
  }

  async stop(): Promise<void> {
    for (const { signal, waitMs } of this.options.stopSignals) {
      if (this.endedHow !== null) return;
      this.child.kill(signal);
      // The timer must not keep the process alive once the server has ended.
      await Promise.race([this.ended, sleep(waitMs, undefined, { ref: false })]);
    }
    if (this.endedHow === null) {
      throw new LocalError(`${this.options.name} (pid ${this.pid}) does not stop; end it by hand.`);
    }
  }

  kill(): void {
    const last = this.options.stopSignals.at(-1);
    if (this.endedHow === null && last !== undefined) this.child.kill(last.signal);
  }

  /** The server as its users see it. */
  running(url: string, port: number): RunningServer {
    return {
      url,
      port,
      pid: this.pid,
      ended: this.ended,
      stop: () => this.stop(),
      kill: () => this.kill(),
    };
  }

  /** The server's output since its start. */
  output(): string {
    return readFileSync(this.options.logFile).subarray(this.logStart).toString('utf8');
  }

  private failure(what: string): LocalError {
    const tail = this.output().trimEnd().split('\n').slice(-15).join('\n');
    return new LocalError(
      `${this.options.name} ${what}. The end of its log, ${this.options.logFile}:\n${tail || '(empty)'}`,
    );
  }
}

/** "ended with exit code 1", "was ended by SIGKILL". */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function openLog(file: string): { fd: number; size: number } {
  const previousSize = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const fd = openSync(file, previousSize > maximumLogBytes ? 'w' : 'a', 0o600);
  return { fd, size: previousSize > maximumLogBytes ? 0 : previousSize };
}
