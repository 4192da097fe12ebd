import { AsyncLocalStorage } from 'node:async_hooks';
import { styleText } from 'node:util';

/** A stream to which a command prints. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** The streams and the environment of a command. */
export interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
}

const current = new AsyncLocalStorage<Streams>();

/** The streams of the current command. Outside of a command, the process's own. */
export const streams = (): Streams => current.getStore() ?? process;

/** Runs a command with its own streams, so that several can run in one process. */
export const withStreams = <Result>(own: Streams, work: () => Result): Result => current.run(own, work);

const isTerminal = (stream: { isTTY?: boolean }): boolean => stream.isTTY === true;

/** Whether a person can read the output and answer. */
export function isInteractive(): boolean {
  const { stdin, stdout, stderr } = streams();
  return [stdin, stdout, stderr].every(isTerminal);
}

/** Whether a line on this stream can be overwritten. */
export const canRewrite = (stream: Output, env = streams().env): boolean => isTerminal(stream) && env.TERM !== 'dumb';

type Tone = 'bold' | 'red' | 'green' | 'yellow';

/** Colours text on a terminal, unless NO_COLOR is set. */
export function paint(tone: Tone, text: string, stream: Output = streams().stdout, env = streams().env): string {
  // Without `validateStream: false`, Node would check the process's own stream and environment.
  return canRewrite(stream, env) && !env.NO_COLOR ? styleText(tone, text, { validateStream: false }) : text;
}

const GOOD = ['ok', 'active', 'completed', 'succeeded'];
const WAITING = ['pending', 'processing', 'queued', 'sending', 'unknown', 'inactive', 'cancelled'];
const BAD = ['FAILED', 'failed', 'review', 'suspended'];

/** The colour of a status. */
export function toneOf(status: string): Tone | null {
  if (GOOD.includes(status)) return 'green';
  if (WAITING.includes(status)) return 'yellow';
  return BAD.includes(status) ? 'red' : null;
}
