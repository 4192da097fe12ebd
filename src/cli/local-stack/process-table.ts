import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './errors.js';

/**
 * The state of a process of any user. A `zombie` has ended, but its parent has not read its exit code. In a container without
 * an init process, it stays a zombie forever.
 */
export function processState(pid: number): 'alive' | 'zombie' | 'none' {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return 'none';
  }
  return isZombie(pid) ? 'zombie' : 'alive';
}

/** Whether a process with this id is running. */
export function isAlive(pid: number): boolean {
  return processState(pid) === 'alive';
}

/** Identifies a process at a later time, when another process may have the same id. */
export interface ProcessIdentity {
  pid: number;
  commandLine: string[];
}

/** The identity of a running process. */
export function identify(pid: number): ProcessIdentity {
  return { pid, commandLine: commandLineOf(pid) ?? [] };
}

/** Whether the process that was identified is still running. */
export function isSameProcess({ pid, commandLine }: ProcessIdentity): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  const present = commandLineOf(pid);
  // If the system hides the command line of other users, only the id identifies the process.
  return present === null || present.join(' ') === commandLine.join(' ');
}

/** Waits until the process has ended; false if it still runs after `timeoutMs`. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(25);
  }
  return true;
}

/** The command line of a process as its arguments, or null when it is gone or may not be read. */
export function commandLineOf(pid: number): string[] | null {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return null;
  }
}

function isZombie(pid: number): boolean {
  try {
    // The file has the form `123 (name) Z ...`. The name may contain any characters, also parentheses.
    return / Z\b/.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').slice(0, 3));
  } catch {
    return false;
  }
}
