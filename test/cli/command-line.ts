import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PassThrough, type Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { GROUPS } from '../../src/cli/groups.js';
import { runCommandLine } from '../../src/cli/program.js';
import { keepingSessions } from './kept-sessions.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** The exit code and the output of a command. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The exit code and the terminal output of a command. */
export interface Typed {
  code: number | null;
  screen: string;
}

let loading: Promise<void> | undefined;

/** Runs one command after the other, because jest cannot load a module twice at the same time. */
async function loadGroups(): Promise<void> {
  await import('../../src/cli/session.js');
  await import('../../src/cli/problems.js');
  for (const { load } of Object.values(GROUPS)) await load();
}

/** A stream with this text. */
function saying(content: string): PassThrough {
  const stream = new PassThrough();
  stream.end(content);
  return stream;
}

const asTerminal = (stream: PassThrough): PassThrough => Object.assign(stream, { isTTY: true });

/** The operator's command line, with its own environment. */
export class CommandLine {
  /** @param env the environment of the commands, besides PATH. */
  constructor(private readonly env: Record<string, string>) {}

  /** The standard input of commands, but for those on a terminal. */
  input = '';

  private wholeEnv(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, USER: 'operator-1', ...this.env };
  }

  /** Runs a command in this process, like the program, but with services that commands keep (see kept-sessions.ts). */
  async run(...args: string[]): Promise<Run> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const texts = Promise.all([text(stdout), text(stderr)]);
    const code = await this.runWith({ stdout, stderr }, ...args);
    stdout.end();
    stderr.end();
    const [printed, said] = await texts;
    return { code, stdout: printed, stderr: said };
  }

  /** The same, with output streams to read while it runs. @returns its exit code. */
  runWith(output: Record<'stdout' | 'stderr', PassThrough>, ...args: string[]): Promise<number> {
    return this.carryOut(args, { stdin: saying(this.input), ...output });
  }

  /** Runs a command in this process, with streams like those of a terminal. @param answer the person's answer to the prompt. */
  async prompted(args: string[], answer = ''): Promise<Typed> {
    const terminal = asTerminal(new PassThrough());
    const screen = text(terminal);
    const stdin = asTerminal(saying(answer));
    const code = await this.carryOut(args, { stdin, stdout: terminal, stderr: terminal });
    terminal.end();
    return { code, screen: await screen };
  }

  private async carryOut(args: string[], own: Record<'stdin' | 'stdout' | 'stderr', PassThrough>): Promise<number> {
    await (loading ??= loadGroups());
    const env = this.wholeEnv();
    return keepingSessions(env, () => runCommandLine(args, env, own));
  }

  /** Runs a command as an operator does: the build in its own process. */
  async runProcess(...args: string[]): Promise<Run> {
    const child = this.start(args, 'pipe');
    // A command need not read its standard input.
    child.stdin?.on('error', () => undefined).end(this.input);
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
    return { code: await code, stdout, stderr };
  }

  /** The same, with a file as standard output. */
  async runProcessInto(file: string, ...args: string[]): Promise<Omit<Run, 'stdout'>> {
    const output = openSync(file, 'w');
    const child = this.start(args, ['ignore', output, 'pipe']);
    closeSync(output);
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    const stderr = await text(child.stderr as Readable);
    return { code: await code, stderr };
  }

  /** Runs the build, but nobody reads its standard output and error. @returns its exit code. */
  runUnread(...args: string[]): Promise<number | null> {
    const child = this.start(args, ['ignore', 'pipe', 'pipe']);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return new Promise((resolve) => child.once('exit', resolve));
  }

  private start(args: string[], stdio: StdioOptions): ChildProcess {
    return spawn(process.execPath, ['bin/topup.js', ...args], { cwd: checkout, env: this.wholeEnv(), stdio });
  }

  /**
   * Runs a command on a terminal, which is its standard input, output and error (of script, from util-linux).
   * @param answer the person's answer to the prompt.
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

  /** The JSON value of a command that succeeds with --json. Expects no other output. */
  async json<Value = unknown>(...args: string[]): Promise<Value> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Value;
  }

  /** The error message of a command that fails. Expects nothing on standard output. */
  async refused(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+|node_modules/);
    return stderr;
  }

  /** Runs lines at the same time, and expects that each fails with its message. */
  async refusedAll(lines: [args: string[], message: RegExp | string][]): Promise<void> {
    const messages = await Promise.all(lines.map(([args]) => this.refused(...args)));
    lines.forEach(([, expected], index) => expect(messages[index]).toMatch(expected));
  }
}

/** For tests of a process itself: its exit code, its streams, and its start. */
export class CommandLineProcess extends CommandLine {
  override run(...args: string[]): Promise<Run> {
    return this.runProcess(...args);
  }
}
