import { userInfo } from 'node:os';
import type { INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import type { CommandFeatures } from '../cli.module.js';
import type { Result, Streamed } from './output.js';
import { present } from '../core/invariant.js';
import { streams } from './streams.js';

/** The work of a command, from its session, arguments and options. */
export type Work<Given extends unknown[]> = (
  app: INestApplicationContext,
  ...given: Given
) => Promise<Result | Streamed>;

/**
 * Wraps the work of a command for commander: opens a session, does the work, closes the session, and keeps the result for the
 * output. It prints a streamed result before it closes the session.
 * @param features modules of this command, which replace those of its group.
 */
export type Runner = <Given extends unknown[]>(
  work: Work<Given>,
  features?: () => Promise<CommandFeatures>,
) => (...given: Given) => Promise<void>;

/** For commands such as `completion`, which need no database. */
export interface Shell {
  /** Keeps the result for the output. */
  answer: (result: Result) => void;
  /** The program with all commands and options. */
  wholeProgram: () => Promise<Command>;
}

/** Commands that share their first word, such as `topup merchant`. */
export interface CommandGroup {
  features: CommandFeatures;
  /** Adds the group's commands, or defines `command` itself. */
  define: (command: OperatorCommand, shell: Shell) => void;
}

/** A command with the parts that most commands share. */
export class OperatorCommand extends Command {
  private runner: Runner | undefined;
  private after = '';

  constructor(name?: string) {
    super(name);
    this.addHelpText('after', () => this.after);
  }

  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name);
  }

  /** Sets the runner of this command and its subcommands. */
  runBy(runner: Runner): this {
    this.runner = runner;
    return this;
  }

  /** For commands that write to the audit log: adds the operator and the reason. */
  audited(): this {
    return this.addOption(operatorOption()).addOption(reasonOption());
  }

  /** For commands that ask for confirmation. */
  asksFirst(): this {
    return this.addOption(yesOption()).notes(ASKS_FIRST);
  }

  /** Adds a text after the options in the command's help. */
  notes(text: string): this {
    this.after += text;
    return this;
  }

  /** Adds the last lines of the command's help: calls that work as written. */
  examples(...calls: string[]): this {
    return this.notes(
      `\nExample${calls.length > 1 ? 's' : ''}:\n${calls.map((call) => `  $ topup ${call}\n`).join('')}`,
    );
  }

  /** @param features modules of this command, which replace those of its group. */
  does<Given extends unknown[]>(work: Work<Given>, features?: () => Promise<CommandFeatures>): this {
    return this.action(present(this.findRunner(), 'the group of a command sets its runner')(work, features));
  }

  private findRunner(): Runner | undefined {
    return this.runner ?? (this.parent as OperatorCommand | null)?.findRunner();
  }
}

/** The operator's name if --operator is not given: TOPUP_OPERATOR, or the name of the user who is logged in. */
export function currentOperator(env: NodeJS.ProcessEnv = streams().env): string {
  const named = env.TOPUP_OPERATOR?.trim() || env.USER?.trim() || env.LOGNAME?.trim();
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    // In a container, the user may have an id but no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The operator, for commands that write to the audit log. */
export const operatorOption = (): Option =>
  new Option('--operator <name>', 'name of the operator, for topup log').default(currentOperator());

/** The reason, for commands that write to the audit log and have no other option for it. */
const reasonOption = (): Option =>
  new Option('--reason <text>', 'reason for the change, for topup log; up to 500 characters');

/** For commands that ask for confirmation. */
export const yesOption = (): Option => new Option('-y, --yes', 'skip the confirmation');

/** Help of commands that ask for confirmation. */
const ASKS_FIRST = `
The command asks for confirmation; --yes skips the question. If standard input, output or error is not a terminal, as in a
script, the command goes on without asking.
`;
