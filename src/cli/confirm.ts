import { createInterface } from 'node:readline/promises';
import { CommandError } from './problems.js';
import { streams, isInteractive } from './streams.js';

/** Up to so many rows, a change can be looked over and put right by hand. */
export const MANY = 10;

/** What the help of a command says that asks. */
export const ASKS_FIRST = `
On a terminal, the command asks for confirmation; --yes skips the question. Scripts are never asked: the question needs
standard input, output and error to be a terminal.
`;

/**
 * Asks a person whether to go on; programs are not asked.
 * @param consequence what is about to happen, as a sentence.
 * @param shown what the person looks over before the question.
 * @throws CommandError unless the answer is yes.
 */
export async function confirm(
  consequence: string,
  { yes = false, shown }: { yes?: boolean; shown?: string },
): Promise<void> {
  if (yes || !isInteractive()) return;
  if (shown !== undefined) streams().stderr.write(`${shown}\n\n`);
  const answer = await ask(`${consequence} Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was changed: the answer was not y');
}

/** On standard error, which leaves standard output to the result. The end of input, or Ctrl-C, is no answer. */
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
