import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PassThrough } from 'node:stream';
import { expect } from '@jest/globals';
import { GROUPS } from '../../src/cli/groups.js';
import { runCommandLine } from '../../src/cli/program.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** What a command left behind. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What a command left on a terminal. */
export interface Typed {
  code: number | null;
  screen: string;
}

let loading: Promise<void> | undefined;

/** One after the other, because jest loads no module twice at the same time. */
async function loadGroups(): Promise<void> {
  await import('../../src/cli/session.js');
  await import('../../src/cli/problems.js');
  for (const { load } of Object.values(GROUPS)) await load();
}

/** The operator's command line, with an environment of its own. */
export class CommandLine {
  /** @param env what the commands find in their environment, besides PATH. */
  constructor(private readonly env: Record<string, string>) {}

  /** What a command that is carried out in this process finds on its standard input. */
  input = '';

  private wholeEnv(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, USER: 'operator-1', ...this.env };
  }

  /** In this process, as the program does it. */
  async run(...args: string[]): Promise<Run> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const texts = Promise.all([text(stdout), text(stderr)]);
    const code = await this.runWith({ stdout, stderr }, ...args);
    stdout.end();
    stderr.end();
    const [printed, said] = await texts;
    return { code, stdout: printed, stderr: said };
  }

  /** The same, for who reads what it prints while it runs. @returns its exit code. */
  async runWith(output: Record<'stdout' | 'stderr', PassThrough>, ...args: string[]): Promise<number> {
    await (loading ??= loadGroups());
    const stdin = new PassThrough();
    stdin.end(this.input);
    return runCommandLine(args, this.wholeEnv(), { stdin, ...output });
  }

  /** As an operator starts it: in a process of its own, on the build. */
  async runProcess(...args: string[]): Promise<Run> {
    const child = spawn(process.execPath, ['bin/topup.js', ...args], {
      cwd: checkout,
      env: this.wholeEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  }

  /**
   * A command as a person gives it: standard input, output and error are one terminal (of script, from util-linux).
   * @param answer what the person types at the question.
   */
  async onTerminal(args: string[], answer = '', env: Record<string, string> = {}): Promise<Typed> {
    const line = ['node', 'bin/topup.js', ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['--quiet', '--return', '--command', `exec ${line}`, '/dev/null'], {
      cwd: checkout,
      env: { ...this.wholeEnv(), TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    let screen = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const asked = /\[y\/N\] /.test(screen);
      screen += String(chunk);
      if (!asked && /\[y\/N\] /.test(screen)) child.stdin.end(answer);
    }
    return { code: await code, screen };
  }

  /** What a command that succeeds prints with --json: one value, and nothing else anywhere. */
  async json<Value = unknown>(...args: string[]): Promise<Value> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Value;
  }

  /** What a command that fails says: on standard error, with nothing on standard output. */
  async refused(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+|node_modules/);
    return stderr;
  }

  /** Runs lines that must all fail, beside each other, and checks what each of them says. */
  async refusedAll(lines: [args: string[], message: RegExp | string][]): Promise<void> {
    const messages = await Promise.all(lines.map(([args]) => this.refused(...args)));
    lines.forEach(([, expected], index) => expect(messages[index]).toMatch(expected));
  }
}

/** For what only a process shows: its exit code, its own streams, and how it starts. */
export class CommandLineProcess extends CommandLine {
  override run(...args: string[]): Promise<Run> {
    return this.runProcess(...args);
  }
}
