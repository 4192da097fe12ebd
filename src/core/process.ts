import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ConfigError } from './config.js';
import { armFailpoints } from './failpoints.js';
import type { Logger } from './logger.js';

interface RunningProcess {
  logger: Logger;
  /** How long an orderly stop may take, before the process ends all the same. */
  stopWithinMs: number;
  stop: () => Promise<void>;
}

/** A container's first process has the same id each time it is started. */
const START = randomBytes(2).toString('hex');

/** Names a process in logs, claims and timelines: its role, host and id, and which of its starts it is. */
export const processName = (role: string): string => `${role}@${hostname()}:${process.pid}-${START}`;

/**
 * Runs a long-lived process: reports what stops it from starting in words, drains on SIGTERM and SIGINT, exits with 0
 * after that and with 1 when it could not start. What could not be drained in time is left as it is: every step of
 * the work is safe to be cut off.
 */
export async function runProcess(start: () => Promise<RunningProcess>): Promise<void> {
  // A signal that comes during the start is kept until there is something to stop.
  const asked = new Promise<void>((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
  try {
    armFailpoints(process.env);
    const running = await start();
    void asked.then(() => stop(running));
  } catch (error) {
    console.error(startProblem(error));
    process.exit(1);
  }
}

async function stop({ logger, stopWithinMs, stop }: RunningProcess): Promise<void> {
  logger.info('stopping');
  const overdue = setTimeout(() => {
    logger.warn('not everything ended in time');
    process.exit(0);
  }, stopWithinMs);
  await stop().catch((error: unknown) => logger.error({ err: error }, 'stopping met an error'));
  clearTimeout(overdue);
  logger.info('stopped');
  process.exit(0);
}

function startProblem(error: unknown): string {
  if (error instanceof ConfigError) return `${error.message}\nSee .env.example for what each variable means.`;
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken by another program: stop it, or choose another port.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user: choose one above 1023.`;
  return `The process could not start: ${message}`;
}
