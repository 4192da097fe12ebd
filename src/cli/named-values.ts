import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Changes } from '../suppliers/supplier-settings.js';
import { confirm } from './confirm.js';
import { CommandError } from './problems.js';
import { streams } from './streams.js';

// An argument NAME=VALUE may hold a secret, so a message repeats the part before = only if it has the form of a name.

/** Collects the arguments of a repeatable option, such as `--credential`. */
export const repeated = (text: string, earlier: string[] = []): string[] => [...earlier, text];

/** The form of names in adapters. A text of another form may be a secret that the operator typed in place of a name. */
const NAME = /^[a-z]+(_[a-z]+)*$/;

/** Help about values. */
export const VALUES_HELP = `
If VALUE is @FILE, it is read from that file; if VALUE is -, from standard input. Both keep secrets out of the shell's history
and the list of processes. A line break at the end is ignored.
`;

/** Reads the values of a command's options. */
export class NamedValues {
  private hasReadInput = false;

  /**
   * Reads arguments of the form NAME=VALUE.
   * @param option its name, such as `--credential`.
   * @throws CommandError, whose message never has the value.
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

  /** Reads one value. @param what its name in messages. @throws CommandError, whose message never has the value. */
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

/** The given values, and null for each removed name. @throws CommandError if a name is both given and removed. */
export function withRemoved(values: Record<string, string>, names: string[] = []): Changes {
  const both = names.find((name) => Object.hasOwn(values, name));
  if (both !== undefined) throw new CommandError(`${both} can't be both given and removed`);
  return { ...values, ...Object.fromEntries(names.map((name) => [name, null])) };
}

/** Asks before credentials are removed. @param of the supplier or channel that has them, such as `supplier acme`. */
export async function confirmRemoval(of: string, credentials: Changes = {}, yes?: boolean): Promise<void> {
  const removed = Object.keys(credentials).filter((name) => credentials[name] === null);
  if (removed.length === 0) return;
  const [what, are] = removed.length === 1 ? [removed[0], 'is'] : [removed.join(' and '), 'are'];
  await confirm(`The ${what} of ${of} ${are} removed, for good.`, { yes });
}

const withoutLineEnd = (content: string): string => content.replace(/\r?\n$/, '');
