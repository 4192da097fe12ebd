import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process, and waits for its end. Does nothing if it has ended already. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
