import type { Command, Option } from 'commander';

/** The words that may follow one command. */
export interface CommandWords {
  /** The command's words, such as `wallet credit`; empty for the program itself. */
  path: string;
  subcommands: { name: string; summary: string }[];
  options: { flags: string[]; summary: string; takesValue: boolean }[];
  /** Whether the command takes a file. */
  takesFile: boolean;
}

/** Every command of a program with the words that may follow. The program itself comes first. */
export function commandWords(program: Command): CommandWords[] {
  return describe(program, []);
}

function describe(command: Command, path: string[]): CommandWords[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const words: CommandWords = {
    path: path.join(' '),
    subcommands: subcommands.map((each) => ({ name: each.name(), summary: each.description() })),
    options: options.map(toOption),
    takesFile: command.registeredArguments.some((argument) => argument.name() === 'file'),
  };
  const below = subcommands.filter((each) => each.name() !== 'help');
  return [words, ...below.flatMap((each) => describe(each, [...path, each.name()]))];
}

const toOption = ({ short, long, description, required, optional }: Option): CommandWords['options'][number] => ({
  flags: [long, short].filter((flag) => flag !== undefined),
  summary: description,
  takesValue: required || optional,
});

/** Quotes text as one word of a shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
