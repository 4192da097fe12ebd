import { LocalError } from '../../src/cli/local-stack/errors.js';
import { StackLock } from './lock.js';
import { ChildLost, Supervisor } from './processes.js';
import { readSettings } from './settings.js';
import { removeStackFile } from '../../src/cli/local-stack/stack-file.js';
import { startStack } from './stack.js';
import { createDataDir } from './state.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

// Under npm, one Ctrl-C arrives twice, from the terminal and from npm. Only a later signal counts as a second Ctrl-C.
const secondSignalAfterMs = 500;

/**
 * Runs the local stack until a signal, or until a part of it ends.
 * @returns the exit code: 0 after a signal, 1 after a failure.
 */
export async function runLocalStack(env: NodeJS.ProcessEnv): Promise<number> {
  // If the reader of the output ends (`npm start | head`), the servers must still be stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const supervisor = new Supervisor();
  const interrupted = untilSignal(supervisor);
  try {
    const settings = await readSettings(env);
    createDataDir(settings.dataDir);
    const lock = await StackLock.take(settings.dataDir);
    try {
      const started = startStack({ env, settings, supervisor, lock, print });
      await Promise.race([started.then(() => supervisor.lost), supervisor.lost, interrupted]);
      await stopAfterSignal(supervisor, started);
    } catch (error) {
      await stopAfterFailure(supervisor, error);
      return 1;
    } finally {
      removeStackFile(settings.dataDir);
      lock.release();
    }
  } catch (error) {
    report(error);
    return 1;
  }
  print('Stopped.');
  return 0;
}

async function stopAfterSignal(supervisor: Supervisor, started: Promise<void>): Promise<void> {
  print('\nStopping ...');
  await supervisor.stop();
  // A server that is still starting is ended as soon as it is up.
  await started.catch(() => undefined);
}

async function stopAfterFailure(supervisor: Supervisor, error: unknown): Promise<void> {
  report(error);
  await supervisor.stop().catch(report);
}

/** Resolves at the first signal that asks to stop; another one ends everything at once. */
function untilSignal(supervisor: Supervisor): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const onSignal = (): void => {
      firstAt ??= performance.now();
      resolve();
      if (performance.now() - firstAt < secondSignalAfterMs) return;
      supervisor.kill();
      process.stderr.write('Stopped at once.\n');
      process.exit(130);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

function report(error: unknown): void {
  if (error instanceof ChildLost) process.stderr.write(`\n${error.message}; stopping everything.\n`);
  else if (error instanceof LocalError) process.stderr.write(`\n${error.message}\n`);
  else process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
