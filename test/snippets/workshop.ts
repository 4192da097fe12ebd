import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import type { Program } from '../support/fetched-program.js';
import { findProgram, type ProgramName } from '../support/programs.js';
import { AUTOLOAD } from '../sdk/php/php.js';
import { BuiltSdk, compile, inCheckout } from '../sdk/built-sdk.js';
import type { Language, Snippet } from './blocks.js';

/** A command that runs a snippet. */
interface Command {
  program: string;
  args: string[];
  env?: Record<string, string>;
}

/** The result of a snippet. */
export interface Outcome {
  exitCode: number | null;
  /** The last line of its standard output: the answer, if that is JSON. */
  answer: string;
  /** Both streams. */
  output: string;
}

const LANGUAGE_PROGRAMS: Record<Language, ProgramName[]> = {
  sh: ['curl', 'openssl'],
  ts: [],
  php: ['php'],
  python: ['python3'],
  go: ['go'],
};

/** Kept between runs: Go compiles its standard library into it, which takes minutes on a slow machine. */
const GO_CACHE = path.resolve(inCheckout('.'), process.env.TOPUP_DATA_DIR || '.local', 'go-cache');

/** The folder with snippets as files, and with the SDKs and interpreters of a merchant. */
export class Workshop {
  private files = 0;

  private constructor(private readonly sdk: BuiltSdk) {}

  static async open(): Promise<Workshop> {
    const sdk = await BuiltSdk.make();
    for (const name of ['standardwebhooks', '@types'])
      symlinkSync(inCheckout(`node_modules/${name}`), sdk.path('node_modules', name));
    writeFileSync(sdk.path('package.json'), '{ "type": "module" }');
    return new Workshop(sdk);
  }

  close(): void {
    this.sdk.remove();
  }

  /** Fails on snippets in TypeScript that a merchant's compiler would refuse. */
  async typeCheck(snippets: Snippet[]): Promise<void> {
    const files = snippets.map(({ code }) => this.write('ts', `${code}\nexport {};\n`));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    await compile(...options, '--types', 'node', '--skipLibCheck', ...files);
  }

  /** Runs a snippet to its end. @param state the name of the state that snippets in sh share: variables and directory. */
  async run(language: Language, code: string, env: Record<string, string>, state: string): Promise<Outcome> {
    const command = await this.command(language, code);
    const [child, output] = this.start(command, env, path.join(this.sdk.project, state));
    // It does not wait for the end of the output, because background processes may hold it open.
    const exitCode = await exitOf(child);
    end(child);
    const stdout = readFileSync(output, 'utf8');
    const errors = readFileSync(`${output}.errors`, 'utf8');
    return {
      exitCode,
      answer: stdout.trim().split('\n').at(-1) ?? '',
      output: `${stdout}\n${errors}`,
    };
  }

  /** Starts a snippet that receives webhooks at a port. @returns the process, and a function that reads its output. */
  async receiver(
    { language, code }: Snippet,
    port: number,
    env: Record<string, string>,
  ): Promise<{ stop: () => Promise<void>; output: () => string }> {
    const command = await this.command(language, code);
    if (language === 'php') command.args.unshift('-S', `127.0.0.1:${port}`);
    if (language === 'ts' && code.includes('export async function receive('))
      command.args.unshift(inCheckout('test/snippets/serve-fetch.mjs'), String(port));
    const [child, output] = this.start(command, env, this.sdk.project);
    const exited = exitOf(child);
    return {
      stop: async () => {
        end(child);
        await exited;
      },
      output: () => readFileSync(output, 'utf8') + readFileSync(`${output}.errors`, 'utf8'),
    };
  }

  private start(command: Command, env: Record<string, string>, cwd: string): [ChildProcess, string] {
    mkdirSync(cwd, { recursive: true });
    const output = this.sdk.path(`output-${++this.files}`);
    const [stdout, stderr] = [openSync(output, 'w'), openSync(`${output}.errors`, 'w')];
    const child = spawn(command.program, command.args, {
      cwd,
      // A process group, so that its background processes end with it.
      detached: true,
      stdio: ['ignore', stdout, stderr],
      env: { ...process.env, ...command.env, ...env },
    });
    closeSync(stdout);
    closeSync(stderr);
    return [child, output];
  }

  private async command(language: Language, code: string): Promise<Command> {
    switch (language) {
      case 'sh':
        return this.shell(code);
      case 'ts': {
        const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
        const { outputText } = ts.transpileModule(code, { compilerOptions });
        return { program: process.execPath, args: [this.write('mjs', outputText)] };
      }
      case 'php': {
        // Replaces Composer's autoloader, which some documents load and others assume.
        const loaded = code.replace(/^<\?php/, '').replace("require 'vendor/autoload.php';", '');
        const file = this.write('php', `<?php require '${AUTOLOAD}';\n${loaded}`);
        const strict = ['-d', 'error_reporting=E_ALL', '-d', 'display_errors=0', '-d', 'log_errors=1'];
        const { program, env } = await need('php');
        return { program, env, args: [...strict, file] };
      }
      case 'python': {
        const { program, env } = await need('python3');
        return { program, env, args: ['-W', 'error', this.write('py', code)] };
      }
      case 'go':
        return this.goProgram(code);
    }
  }

  private async goProgram(code: string): Promise<Command> {
    const file = this.write('go', code);
    const built = file.slice(0, -'.go'.length);
    const { program, env } = await need('go');
    const folders = { GOPATH: this.sdk.path('go'), GOCACHE: GO_CACHE };
    const settings = { GO111MODULE: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '', ...folders, ...env };
    await promisify(execFile)(program, ['build', '-o', built, file], {
      env: { ...process.env, ...settings },
    });
    return { program: built, args: [] };
  }

  /** A step of a session. Variables stay for the next step, and each answer of the API must be a 2xx. */
  private async shell(code: string): Promise<Command> {
    const bin = this.sdk.path('bin');
    mkdirSync(bin, { recursive: true });
    for (const name of LANGUAGE_PROGRAMS.sh) {
      const { program, env } = await need(name);
      const settings = Object.entries(env).map(([key, value]) => `${key}='${value}' `);
      const more = name === 'curl' ? '--fail-with-body --show-error' : '';
      const lines = ['#!/bin/sh', `${settings.join('')}exec '${program}' "$@" ${more}`, ''];
      writeFileSync(path.join(bin, name), lines.join('\n'), { mode: 0o755 });
    }
    const file = this.write(
      'sh',
      `touch ./session; . ./session\nset -aeu -o pipefail\n${code}\nexport -p > ./session\n`,
    );
    const PATH = `${bin}:${process.env.PATH ?? ''}`;
    return { program: 'bash', args: [file], env: { PATH } };
  }

  private write(ending: string, text: string): string {
    const file = this.sdk.path(`snippet-${++this.files}.${ending}`);
    writeFileSync(file, text);
    return file;
  }
}

/** @returns the first program that a language needs and this machine can't get; null if it has them all. */
export async function missingFor(language: Language): Promise<string | null> {
  for (const name of LANGUAGE_PROGRAMS[language]) if ((await findProgram(name)) === null) return name;
  return null;
}

async function need(name: ProgramName): Promise<Program> {
  const found = await findProgram(name);
  if (found === null) throw new Error(`There is no ${name} on this machine, and none can be fetched`);
  return found;
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));

function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has ended already.
  }
}
