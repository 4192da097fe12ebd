import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { CommandFeatures } from '../cli.module.js';
import type { Result, Streamed } from './output.js';

/** The work of a command, from its session, arguments and options. */
export type Work<Given extends unknown[]> = (
  app: INestApplicationContext,
  ...given: Given
) => Promise<Result | Streamed>;

/**
 * Wraps the work of a command for commander: opens a session, does the work, closes the session, and keeps the result for the
 * output. It prints a streamed result before it closes the session.
 * @param features modules of this command beyond those of its group.
 */
export type Act = <Given extends unknown[]>(
  work: Work<Given>,
  features?: () => Promise<CommandFeatures>,
) => (...given: Given) => Promise<void>;

/** The tools of commands about the command line itself. Such commands need no database. */
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
  define: (command: Command, act: Act, shell: Shell) => void;
}

/** The last lines of a command's help: calls that work as written. */
export const examples = (...calls: string[]): string =>
  `\nExample${calls.length > 1 ? 's' : ''}:\n${calls.map((call) => `  $ topup ${call}\n`).join('')}`;
