import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { ConfigError } from './config-error.js';
import { armFailpoints } from './failpoints.js';
import type { Logger } from './logger.js';

export interface RunningProcess {
  logger: Logger;
  /** How long an orderly stop may take. After this time, the process exits anyway. */
  stopWithinMs: number;
  stop: () => Promise<void>;
}

/** @param stopRequested resolves at the signal to stop. After that, the start must not wait for anything. */
type Start = (stopRequested: Promise<void>) => Promise<RunningProcess>;

/** Distinguishes the starts of a process, because the first process of a container always has the same process id. */
const START_ID = randomBytes(2).toString('hex');

/** The name of a process in logs, claims and order histories: role, host, id and start. */
export const processName = (role: string): string => `${role}@${hostname()}:${process.pid}-${START_ID}`;

/**
 * Runs a long-lived process. On SIGTERM and SIGINT the process drains, and exits with 0. If it can't start, it prints a message
 * and exits with 1. Work that has not ended in time is cut off, which is safe at every step.
 * @param load loads the rest of the program, which takes most of the start. A signal during that time ends the process at once.
 */
export async function runProcess(load: () => Promise<Start>): Promise<void> {
  let isLoading = true;
  const stopRequested = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => (isLoading ? process.exit(0) : resolve()));
  });
  try {
    armFailpoints(process.env);
    const start = await load();
    // From Node 22, all modules load in one turn of the event loop. A signal in that turn arrives only in the next turn.
    await setImmediate();
    isLoading = false;
    const running = await start(stopRequested);
    void stopRequested.then(() => stop(running));
  } catch (error) {
    console.error(startProblem(error));
    process.exit(1);
  }
}

async function stop({ logger, stopWithinMs, stop }: RunningProcess): Promise<void> {
  logger.info('stopping');
  const overdue = setTimeout(() => {
    logger.warn('not everything stopped in time');
    process.exit(0);
  }, stopWithinMs);
  await stop().catch((error: unknown) => logger.error({ err: error }, 'stopping failed'));
  clearTimeout(overdue);
  logger.info('stopped');
  process.exit(0);
}

/** The message for a program that can't start. */
export function startProblem(error: unknown): string {
  if (error instanceof ConfigError) return `${error.message}\nSee .env.example for what each variable means.`;
  const { code, syscall, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program: stop it, or choose another port.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${port} may not be used by this user: choose one above 1023.`;
  return `The process could not start: ${message}`;
}
