import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.js';

const ENTRY = fileURLToPath(new URL('../../dist/tools/simulators/simulate.js', import.meta.url));
const running = new Set<SimulatorProcess>();

/** A vendor's simulator in its own process. */
export class SimulatorProcess {
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown[]>;
  private readonly child: ChildProcess;

  constructor(vendor: string, env: Record<string, string>, args: string[] = []) {
    this.child = spawn(process.execPath, [ENTRY, vendor, ...args], {
      env: { SIMULATOR_PORT: '0', ...env },
    });
    this.closed = once(this.child, 'close');
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    running.add(this);
  }

  /** Waits for the base URL that it prints. @throws with its error if it ends instead. */
  async listening(): Promise<string> {
    await eventually(
      () => this.stdout,
      (text) => text.includes('\n') || this.child.exitCode !== null,
    );
    if (this.stderr !== '') throw new Error(this.stderr);
    return (JSON.parse(this.stdout) as { listening: string }).listening;
  }

  async end(signal?: NodeJS.Signals): Promise<unknown> {
    running.delete(this);
    if (signal) this.child.kill(signal);
    const [exitCode, endedBy] = await this.closed;
    return exitCode ?? endedBy;
  }
}

/** Kills every process that a test left running. */
export async function killSimulators(): Promise<void> {
  await Promise.all([...running].map((each) => each.end('SIGKILL')));
}
