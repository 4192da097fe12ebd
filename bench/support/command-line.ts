import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { BenchStack } from './stack.js';

type Program = typeof import('../../src/cli/program.js');

/** Runs an operator command of the build in this process, because thousands of processes would take hours. @returns its JSON. */
export async function topupHere<Result>({ environment }: BenchStack, ...args: string[]): Promise<Result> {
  const program = new URL('../../dist/src/cli/program.js', import.meta.url);
  const { runCommandLine } = (await import(program.href)) as Program;
  const [stdin, stdout] = [new PassThrough().end(), new PassThrough()];
  const printed = text(stdout);
  const code = await runCommandLine(
    [...args, '--json'],
    { ...process.env, ...environment },
    {
      stdin,
      stdout,
      stderr: process.stderr,
    },
  );
  stdout.end();
  if (code !== 0) throw new Error(`topup ${args.join(' ')} failed`);
  return JSON.parse(await printed) as Result;
}
