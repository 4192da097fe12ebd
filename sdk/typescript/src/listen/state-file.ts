import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Settings } from './arguments.js';

/** What one run leaves to the next. */
export interface State {
  /** The last event that was handled; null before the first. */
  after: string | null;
  secret: string;
}

/** Where a listener stopped, in the user's folder of settings: a file for each merchant's key, service and target. */
export class StateFile {
  private constructor(readonly file: string) {}

  static of(
    { baseUrl, apiKey, forwardTo }: Pick<Settings, 'baseUrl' | 'apiKey' | 'forwardTo'>,
    env: Readonly<Record<string, string | undefined>>,
  ): StateFile {
    const folder =
      env.XDG_CONFIG_HOME ??
      (process.platform === 'win32' ? env.APPDATA : undefined) ??
      path.join(homedir(), '.config');
    // The key itself is written nowhere.
    const name = createHash('sha256')
      .update(JSON.stringify([baseUrl, apiKey, forwardTo]))
      .digest('hex')
      .slice(0, 16);
    return new StateFile(path.join(folder, 'order-topup', `listen-${name}.json`));
  }

  /** Null before the first run, and where the file is of no use. */
  read(): State | null {
    try {
      const { after, secret } = JSON.parse(readFileSync(this.file, 'utf8')) as Partial<State>;
      const isPosition = after === null || typeof after === 'string';
      return isPosition && typeof secret === 'string' && secret !== '' ? { after, secret } : null;
    } catch {
      return null;
    }
  }

  /** Whole or not at all; only this user can read it. */
  write(state: State): void {
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    const unfinished = `${this.file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(state), { mode: 0o600 });
    renameSync(unfinished, this.file);
  }
}
