import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const inCheckout = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const { version } = JSON.parse(readFileSync(inCheckout('sdk/typescript/package.json'), 'utf8')) as { version: string };

/** The file that the API serves at `/sdk/`. */
export const PACKAGE = `order-topup-sdk-${version}.tgz`;

/** Runs the compiler. @throws with its output. */
export async function compile(...args: string[]): Promise<void> {
  await run(process.execPath, [inCheckout('node_modules/typescript/bin/tsc'), ...args]).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    },
  );
}

/** The package as a merchant installs it: unpacked in the node_modules of a new project. */
export class BuiltSdk {
  private constructor(readonly project: string) {}

  static async make(): Promise<BuiltSdk> {
    const project = mkdtempSync(path.join(tmpdir(), 'sdk-'));
    const installed = path.join(project, 'node_modules', 'order-topup-sdk');
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', inCheckout(`dist/site/sdk/${PACKAGE}`), '-C', installed, '--strip-components=1']);
    symlinkSync(inCheckout('node_modules/express'), path.join(project, 'node_modules', 'express'));
    return new BuiltSdk(project);
  }

  path(...parts: string[]): string {
    return path.join(this.project, ...parts);
  }

  remove(): void {
    rmSync(this.project, { recursive: true, force: true });
  }
}
