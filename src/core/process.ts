import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { ConfigError } from './config-error.js';
import { armFailpoints } from './failpoints.js';
import type { Logger } from './logger.js';

export interface RunningProcess {
  logger: Logger;
  /** How long an orderly stop may take, before the process ends all the same. */
  stopWithinMs: number;
  stop: () => Promise<void>;
}

/** @param stopAsked resolves when a signal asks the process to stop: the start need not wait for anything then. */
type Start = (stopAsked: Promise<void>) => Promise<RunningProcess>;

/** A container's first process has the same id each time it is started. */
const START = randomBytes(2).toString('hex');

/** Names a process in logs, claims and timelines: its role, host and id, and which of its starts it is. */
export const processName = (role: string): string => `${role}@${hostname()}:${process.pid}-${START}`;

/**
 * Runs a long-lived process: reports what stops it from starting in words, drains on SIGTERM and SIGINT, exits with 0
 * after that and with 1 when it could not start. What could not be drained in time is left as it is: every step of
 * the work is safe to be cut off.
 * @param load the rest of the program, which takes most of the time to a start; a signal meanwhile ends the process.
 */
export async function runProcess(load: () => Promise<Start>): Promise<void> {
  let isLoading = true;
  const stopAsked = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => (isLoading ? process.exit(0) : resolve()));
  });
  try {
    armFailpoints(process.env);
    const start = await load();
    // From Node 22, modules are loaded in one turn of the event loop: a signal that came meanwhile arrives in the next.
    await setImmediate();
    isLoading = false;
    const running = await start(stopAsked);
    void stopAsked.then(() => stop(running));
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

/** Why a program could not start, in words. */
export function startProblem(error: unknown): string {
  if (error instanceof ConfigError) return `${error.message}\nSee .env.example for what each variable means.`;
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program: stop it, or choose another port.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user: choose one above 1023.`;
  return `The process could not start: ${message}`;
}
