import { AsyncLocalStorage } from 'node:async_hooks';

/** Where a command prints. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** What a command reads from and prints to, and the environment that it finds. */
export interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
}

const given = new AsyncLocalStorage<Streams>();

/** Those of the command that is being carried out. Outside of one, the process's own. */
export const streams = (): Streams => given.getStore() ?? process;

/** Carries out a command with streams of its own, beside others in the same process. */
export const withStreams = <Result>(own: Streams, work: () => Result): Result => given.run(own, work);
