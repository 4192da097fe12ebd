import { AsyncLocalStorage } from 'node:async_hooks';
import { styleText } from 'node:util';

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

const isTerminal = (stream: { isTTY?: boolean }): boolean => stream.isTTY === true;

/** Whether a person sits there: reads what is printed, and can answer. */
export function isInteractive(): boolean {
  const { stdin, stdout, stderr } = streams();
  return [stdin, stdout, stderr].every(isTerminal);
}

/** Whether a line on this stream can be written over. */
export const canRewrite = (stream: Output, env = streams().env): boolean => isTerminal(stream) && env.TERM !== 'dumb';

type Tone = 'bold' | 'red' | 'green' | 'yellow';

/** Colours text for a terminal, and leaves it alone for anything else and for whoever sets NO_COLOR. */
export function paint(tone: Tone, text: string, stream: Output = streams().stdout, env = streams().env): string {
  // Node would look at the process's own stream and environment.
  return canRewrite(stream, env) && !env.NO_COLOR ? styleText(tone, text, { validateStream: false }) : text;
}

const GOOD = ['ok', 'active', 'completed', 'succeeded'];
const WAITING = ['pending', 'processing', 'queued', 'sending', 'unknown', 'inactive', 'cancelled'];
const BAD = ['FAILED', 'failed', 'review', 'suspended'];

/** How a status is shown to people. */
export function toneOf(status: string): Tone | null {
  if (GOOD.includes(status)) return 'green';
  if (WAITING.includes(status)) return 'yellow';
  return BAD.includes(status) ? 'red' : null;
}
