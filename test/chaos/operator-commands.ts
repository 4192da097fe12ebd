import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const shell = fileURLToPath(new URL('operator-shell.ts', import.meta.url));

/** Runs many commands of the operator's command line in one process. */
export class OperatorCommands {
  private child: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly directory: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @returns the command's exit code. */
  run(args: string[]): Promise<number> {
    const running = this.last.then(() => this.send(args));
    this.last = running.catch(() => undefined);
    return running;
  }

  end(): void {
    this.child?.kill('SIGKILL');
  }

  private async send(args: string[]): Promise<number> {
    const program = pathToFileURL(join(this.directory, 'dist', 'src', 'cli', 'program.js'));
    this.child ??= fork(shell, [program.href], {
      env: this.env,
      execArgv: process.execArgv,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new AbortController();
    const { child } = this;
    const end = (): void => ended.abort(new Error('the process of the operator’s commands has ended'));
    child.once('exit', end);
    try {
      const answered = once(child, 'message', { signal: ended.signal }) as Promise<[number]>;
      child.send(args);
      return (await answered)[0];
    } finally {
      child.off('exit', end);
    }
  }
}
