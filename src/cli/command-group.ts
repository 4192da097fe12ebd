import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { CommandFeatures } from '../cli.module.js';
import type { Result, Streamed } from './output.js';

/** What a command does with its session, its arguments and its options. */
export type Work<Given extends unknown[]> = (
  app: INestApplicationContext,
  ...given: Given
) => Promise<Result | Streamed>;

/**
 * Wraps the work of a command into what commander calls: opens a session, does the work, closes the session, and keeps
 * the result to be printed; one in pieces is printed before the session is closed.
 * @param features what this command needs, when that is more than its group does.
 */
export type Act = <Given extends unknown[]>(
  work: Work<Given>,
  features?: () => Promise<CommandFeatures>,
) => (...given: Given) => Promise<void>;

/** For commands about the command line itself, which need no database. */
export interface Shell {
  /** Keeps what is to be printed. */
  answer: (result: Result) => void;
  /** The program with every command and option there is. */
  wholeProgram: () => Promise<Command>;
}

/** Commands that share their first word, such as `topup merchant`. */
export interface CommandGroup {
  features: CommandFeatures;
  /** Adds the group's commands, or makes `command` itself one. */
  define: (command: Command, act: Act, shell: Shell) => void;
}

/** The last lines of a command's help: calls that work as they are. */
export const examples = (...calls: string[]): string =>
  `\nExample${calls.length > 1 ? 's' : ''}:\n${calls.map((call) => `  $ topup ${call}\n`).join('')}`;
