import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Settings } from './arguments.js';

/** The state that a run stores for the next one. */
export interface State {
  /** The last handled event; null before the first. */
  after: string | null;
  secret: string;
}

/** The position of a listener, in the user's configuration folder: a file for each merchant's key, service and target. */
export class StateFile {
  private constructor(readonly file: string) {}

  static of(
    { baseUrl, apiKey, forwardTo }: Pick<Settings, 'baseUrl' | 'apiKey' | 'forwardTo'>,
    env: Readonly<Record<string, string | undefined>>,
  ): StateFile {
    const folder =
      (env.XDG_CONFIG_HOME || undefined) ??
      (process.platform === 'win32' ? env.APPDATA : undefined) ??
      path.join(homedir(), '.config');
    // The name has a hash, so that the key itself is not stored.
    const name = createHash('sha256')
      .update(JSON.stringify([baseUrl, apiKey, forwardTo]))
      .digest('hex')
      .slice(0, 16);
    return new StateFile(path.join(folder, 'order-topup', `listen-${name}.json`));
  }

  /** Null before the first run, and if the file is not valid. */
  read(): State | null {
    try {
      const { after, secret } = JSON.parse(readFileSync(this.file, 'utf8')) as Partial<State>;
      const isPosition = after === null || typeof after === 'string';
      return isPosition && typeof secret === 'string' && secret !== '' ? { after, secret } : null;
    } catch {
      return null;
    }
  }

  /** Writes the file completely or not at all. Only this user can read it. */
  write(state: State): void {
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    const unfinished = `${this.file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(state), { mode: 0o600 });
    renameSync(unfinished, this.file);
  }
}
