import type { Command, Option } from 'commander';

/** The words that may follow one command. */
export interface CommandWords {
  /** The command's words, such as `wallet credit`; empty for the program itself. */
  path: string;
  subcommands: { name: string; summary: string }[];
  options: { flags: string[]; summary: string; takesValue: boolean }[];
  /** Whether an argument of the command is a file. */
  takesFile: boolean;
}

/** A command and all commands below it, each with the words that may follow. */
export function commandWords(command: Command, path: string[] = []): CommandWords[] {
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
  return [words, ...below.flatMap((each) => commandWords(each, [...path, each.name()]))];
}

const toOption = ({ short, long, description, required, optional }: Option): CommandWords['options'][number] => ({
  flags: [long, short].filter((flag) => flag !== undefined),
  summary: description,
  takesValue: required || optional,
});

/** The options of a command that take a value, each after the command's words, such as `wallet credit --note`. */
export const valueWords = ({ path, options }: CommandWords): string[] =>
  options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags.map((flag) => `${path} ${flag}`));

/** Quotes text as one word of bash or zsh. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
