import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { CommandError } from './problems.js';
import { streams } from './streams.js';

// What is typed here may be a secret, so nothing of it is repeated in a message, but for what is surely a name.

/** An option that may be given again, such as `--credential`: its arguments in their order. */
export const repeated = (text: string, earlier: string[] = []): string[] => [...earlier, text];

/** A name as adapters have them, so that a secret which was typed in its place is not taken for one. */
const NAME = /^[a-z]+(_[a-z]+)*$/;

/** How values are given, for the help of a command. */
export const VALUES_HELP = `
A VALUE of @FILE is read from that file, and - from standard input, so that a secret is in no shell history and in no
list of processes. The line end at their end does not count.
`;

/** Reads the values of one command's options. */
export class NamedValues {
  private hasReadInput = false;

  /**
   * Reads arguments of the form NAME=VALUE.
   * @param option it is the argument of, such as `--credential`.
   * @throws CommandError, without the value.
   */
  async readAll(option: string, given: string[] = []): Promise<Record<string, string>> {
    const values = new Map<string, string>();
    for (const argument of given) {
      const at = argument.indexOf('=');
      const name = argument.slice(0, Math.max(at, 0));
      if (!NAME.test(name)) {
        throw new CommandError(`${option} must be a name, = and a value: ${option} NAME=VALUE`);
      }
      if (values.has(name)) throw new CommandError(`${option} ${name} is given twice`);
      values.set(name, await this.read(`${option} ${name}`, argument.slice(at + 1)));
    }
    return Object.fromEntries(values);
  }

  /** Reads one value. @param what it is, for messages. @throws CommandError, without the value. */
  async read(what: string, given: string): Promise<string> {
    const value = withoutLineEnd(await this.resolve(what, given));
    if (value === '') throw new CommandError(`the value of ${what} is empty`);
    return value;
  }

  private async resolve(what: string, given: string): Promise<string> {
    if (given.startsWith('@')) return readValueFile(what, given.slice(1));
    if (given !== '-') return given;
    if (this.hasReadInput) throw new CommandError('only one value can be read from standard input');
    this.hasReadInput = true;
    return text(streams().stdin);
  }
}

function readValueFile(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new CommandError(`the file with the value of ${what} cannot be read: ${code}`);
  }
}

const withoutLineEnd = (content: string): string => content.replace(/\r?\n$/, '');
