import { createInterface } from 'node:readline/promises';
import { CommandError } from './problems.js';
import { streams, isInteractive } from './streams.js';

/** A person can check and undo a change of up to this many rows by hand. */
export const MAX_WITHOUT_CONFIRMATION = 10;

const NO_ANSWER = 'nothing was changed: standard input has ended, so that no answer can be read: add --yes';

/**
 * Asks for confirmation on a terminal; elsewhere it does not ask.
 * @param consequence what is about to happen, as a sentence.
 * @param shown printed before the question.
 * @throws CommandError unless the answer is yes, or if a file or value was read from the terminal up to its end.
 */
export async function confirm(
  consequence: string,
  { yes = false, shown }: { yes?: boolean; shown?: string },
): Promise<void> {
  if (yes || !isInteractive()) return;
  const { stdin, stderr } = streams();
  if (!stdin.readable) throw new CommandError(NO_ANSWER);
  if (shown !== undefined) stderr.write(`${shown}\n\n`);
  const answer = await ask(`${consequence} Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was changed: the answer was not y');
}

/** Asks on standard error, because standard output is for the result. End of input and Ctrl-C count as no. */
async function ask(question: string): Promise<string> {
  const { stdin, stderr } = streams();
  const terminal = createInterface({ input: stdin, output: stderr });
  const noAnswer = new Promise<string>((resolve) => {
    terminal.once('close', () => resolve(''));
    terminal.once('SIGINT', () => {
      stderr.write('\n');
      terminal.close();
    });
  });
  try {
    return await Promise.race([terminal.question(question), noAnswer]);
  } finally {
    terminal.close();
  }
}
