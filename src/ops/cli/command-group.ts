import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { CommandFeatures } from '../../cli.module.js';
import type { Result } from './output.js';

/**
 * Wraps what a command does into what commander calls: opens a session, does the work with the command's arguments and
 * options, closes the session and prints the result.
 */
export type Act = <Given extends unknown[]>(
  work: (app: INestApplicationContext, ...given: Given) => Promise<Result>,
) => (...given: Given) => Promise<void>;

/** Commands that share their first word, such as `topup merchant`. */
export interface CommandGroup {
  features: CommandFeatures;
  /** Adds the group's commands, or makes `command` itself one. */
  define: (command: Command, act: Act) => void;
}

/** The last lines of a command's help: calls that work as they are. */
export const examples = (...calls: string[]): string =>
  `\nExample${calls.length > 1 ? 's' : ''}:\n${calls.map((call) => `  $ topup ${call}\n`).join('')}`;
