import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { endProcess } from '../../support/child-process.js';
import { eventually } from '../../support/eventually.js';
import { keptPort } from '../../support/kept-port.js';
import { inCheckout, type BuiltSdk } from '../built-sdk.js';

/** The folder of the runtimes besides Node, set by `npm run test:runtimes` only. */
const installed = process.env.SDK_RUNTIMES_DIR ?? null;

export const RUNTIMES = installed === null ? ['node'] : ['node', 'deno', 'bun', 'workerd'];

const program = (name: string): string => path.join(installed ?? '', 'node_modules', '.bin', name);

/** The shop of `shop.ts`, served by one of the runtimes. */
export class RunningShop {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
  ) {}

  /** @param sdk the folder of the installed SDK. */
  static async start(runtime: string, sdk: BuiltSdk): Promise<RunningShop> {
    const port = await keptPort();
    const file = sdk.path(`${runtime}-shop.mjs`);
    await bundle(sdk, file, runtime === 'workerd');
    const [command, ...args] = commandOf(runtime, file, port);
    const child = spawn(command, args, {
      cwd: sdk.project,
      env: { ...process.env, PORT: String(port), DENO_DIR: sdk.path('deno'), NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const shop = new RunningShop(`http://127.0.0.1:${port}`, child);
    const answers = (): Promise<boolean> =>
      shop.sold().then(
        () => true,
        () => false,
      );
    try {
      await eventually(() => child.exitCode !== null || answers(), Boolean);
      if (child.exitCode !== null) throw new Error(`${runtime} ended with ${child.exitCode}`);
    } catch (error) {
      await shop.stop();
      throw error;
    }
    return shop;
  }

  /** The references of the orders with a received webhook. */
  async sold(): Promise<string[]> {
    return (await fetch(`${this.url}/sold`)).json() as Promise<string[]>;
  }

  stop(): Promise<void> {
    return endProcess(this.process);
  }
}

/** Bundles the shop without the SDK, which a runtime finds as a package; workerd needs it in the bundle. */
async function bundle(sdk: BuiltSdk, file: string, withSdk: boolean): Promise<void> {
  const source = sdk.path('shop.ts');
  copyFileSync(inCheckout('test/sdk/runtimes/shop.ts'), source);
  const bundler = inCheckout('node_modules/rolldown/bin/cli.mjs');
  const external = withSdk ? [] : ['--external', 'order-topup-sdk'];
  const args = [bundler, source, '--file', file, '--platform', 'browser', ...external];
  await promisify(execFile)(process.execPath, args, { cwd: sdk.project });
}

function commandOf(runtime: string, file: string, port: number): [string, ...string[]] {
  switch (runtime) {
    case 'node':
      return [process.execPath, inCheckout('test/sdk/runtimes/serve-node.mjs'), String(port), file];
    case 'deno':
      // Deno may reach the network, and nothing else of the machine.
      return [program('deno'), 'serve', '--no-prompt', '--allow-net', '--host=127.0.0.1', `--port=${port}`, file];
    case 'bun':
      return [program('bun'), file];
    default:
      return [program('workerd'), 'serve', workerOf(file, port)];
  }
}

/** The configuration of workerd: a worker at a port, which may reach addresses of this machine. */
function workerOf(file: string, port: number): string {
  const configuration = `${file}.capnp`;
  writeFileSync(
    configuration,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "shop", worker = (
      modules = [(name = "shop.mjs", esModule = embed "${path.basename(file)}")],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["private", "local", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "shop")],
);
`,
  );
  return configuration;
}
