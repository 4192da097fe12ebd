import { linkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf, LocalError } from '../../src/cli/local-stack/errors.js';
import { readJsonFile, writePrivateFile } from '../../src/cli/local-stack/stack-file.js';
import { identify, isSameProcess, waitForExit, type ProcessIdentity } from '../../src/cli/local-stack/process-table.js';

interface LockContent extends ProcessIdentity {
  children: ProcessIdentity[];
}

const killAfterMs = 15_000;

/** Keeps a second stack away from a data directory, and remembers which processes belong to the first. */
export class StackLock {
  private constructor(
    private readonly file: string,
    private readonly content: LockContent,
  ) {}

  /**
   * Acquires the lock. If its last owner was killed, this stops the children that were left running first.
   * @throws LocalError when a stack is running on this directory.
   */
  static async take(dataDir: string): Promise<StackLock> {
    const file = path.join(dataDir, 'stack.lock');
    const lock = new StackLock(file, { ...identify(process.pid), children: [] });
    while (!lock.create()) {
      const previous = readJsonFile(file) as LockContent | null;
      if (previous !== null && isSameProcess(previous)) {
        throw new LocalError(
          `A local stack (pid ${previous.pid}) is running on ${dataDir} already. Stop it first (Ctrl-C where it ` +
            `runs, or \`kill ${previous.pid}\`), or set TOPUP_DATA_DIR to another directory.`,
        );
      }
      for (const child of previous?.children.toReversed() ?? []) await stopOrphan(child);
      rmSync(file, { force: true });
    }
    return lock;
  }

  /** Remembers a child, so that the next start can stop it if this process is killed. */
  addChild(pid: number): void {
    this.content.children.push(identify(pid));
    writePrivateFile(this.file, JSON.stringify(this.content));
  }

  release(): void {
    rmSync(this.file, { force: true });
  }

  /** False when there is a lock already. It is made as a link, which appears with its content or not at all. */
  private create(): boolean {
    const unfinished = `${this.file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(this.content), { mode: 0o600 });
    try {
      linkSync(unfinished, this.file);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}

async function stopOrphan(child: ProcessIdentity): Promise<void> {
  if (!isSameProcess(child)) return;
  process.kill(child.pid, 'SIGTERM');
  if (await waitForExit(child.pid, killAfterMs)) return;
  process.kill(child.pid, 'SIGKILL');
  await waitForExit(child.pid, killAfterMs);
}
