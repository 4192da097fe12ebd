import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../sdk/typescript/src/listen/run.js';
import { eventually } from '../support/eventually.js';

/** `listen` in this process, with its own folder of settings. */
export class Listening {
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  private readonly config = mkdtempSync(path.join(tmpdir(), 'listen-'));
  private controller = new AbortController();
  private ended: Promise<number> = Promise.resolve(0);

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly forwardTo: string,
  ) {}

  start(...options: string[]): void {
    this.lines.length = 0;
    this.controller = new AbortController();
    const args = ['listen', '--forward-to', this.forwardTo, '--base-url', this.baseUrl, ...options];
    this.ended = run(args, {
      env: { TOPUP_API_KEY: this.apiKey, XDG_CONFIG_HOME: this.config },
      out: (line) => this.lines.push(line),
      err: (line) => this.errors.push(line),
      signal: this.controller.signal,
    });
  }

  /** Waits until it forwards. @returns the signing secret that it printed. */
  async ready(): Promise<string> {
    await this.said(/^Forwarding /);
    return /^Signing secret: (.*)$/m.exec(this.lines.join('\n'))?.[1] ?? '';
  }

  said(words: RegExp): Promise<unknown> {
    return eventually(
      () => this.lines,
      (lines) => lines.some((line) => words.test(line)),
    );
  }

  /** Waits for its end. @returns its exit code. */
  end(): Promise<number> {
    return this.ended;
  }

  async stop(): Promise<number> {
    this.controller.abort();
    return this.end();
  }

  private get file(): string {
    const folder = path.join(this.config, 'order-topup');
    return path.join(folder, readdirSync(folder)[0] ?? '');
  }

  get state(): { after: string | null; secret: string } {
    return JSON.parse(readFileSync(this.file, 'utf8')) as { after: string | null; secret: string };
  }

  set state(state: { after: string | null; secret: string }) {
    writeFileSync(this.file, JSON.stringify(state));
  }

  /** The permissions of its file of settings. */
  get mode(): number {
    return statSync(this.file).mode & 0o777;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.config, { recursive: true, force: true });
  }
}
