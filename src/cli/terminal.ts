import { styleText } from 'node:util';
import { streams, type Output } from './streams.js';

const isTerminal = (stream: { isTTY?: boolean }): boolean => stream.isTTY === true;

/** Whether a person sits there: reads what is printed, and can answer. */
export function isInteractive(): boolean {
  const { stdin, stdout, stderr } = streams();
  return [stdin, stdout, stderr].every(isTerminal);
}

/** Whether a line on this stream can be written over. */
export const canRewrite = (stream: Output, env = streams().env): boolean => isTerminal(stream) && env.TERM !== 'dumb';

export type Tone = 'bold' | 'red' | 'green' | 'yellow';

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
