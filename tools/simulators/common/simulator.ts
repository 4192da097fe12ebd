import type { Server } from 'node:http';
import { readSimulatorConfig, type SimulatorConfig, StartupError } from './config.js';
import { Control } from './control.js';
import { answerVendor } from './exchange.js';
import { sendJson } from './http.js';
import { listen, stop, urlOf } from './listener.js';
import type { Kinds } from './model.js';
import type { Simulation } from './process.js';
import { Scheduler } from './scheduler.js';
import { Invalid } from './shapes.js';
import type { Vendor } from './vendor.js';

const CONTROL_PATH = /^(?:\/v1)?(\/_sim\/.*)$/;

/** A vendor on a port of its own. */
export interface RunningSimulator {
  /** The origin, without a path. */
  readonly url: string;
  readonly server: Server;
  /** Ends callbacks, and closes the state on disk; the server must have stopped. */
  readonly close: () => void;
  /** Stops the server, then closes. */
  readonly stop: () => Promise<void>;
}

/** The way to start a vendor, in a test's process or in its own. */
export interface Simulator<K extends Kinds> {
  readonly name: string;
  /** The port of a process of its own, unless its environment names one. */
  readonly port: number;
  readonly create: () => Vendor<K>;
  /** The credentials of the account's owner, for the first line of the process. */
  readonly credentials: (account: K['account']) => Readonly<Record<string, string>>;
  /** The part of the base URL after the origin. */
  readonly basePath?: string;
}

/** Starts a vendor in this process. @throws StartupError when port, directory or set-up can't be used. */
export function startVendor<K extends Kinds>(
  { create, name }: Simulator<K>,
  config: SimulatorConfig,
): Promise<RunningSimulator> {
  return startSimulator(create(), `${name}.jsonl`, config);
}

/** Starts a vendor for a process of its own, as its environment says. @throws StartupError */
export async function simulate<K extends Kinds>(
  { basePath = '', create, credentials, name, port }: Simulator<K>,
  env: NodeJS.ProcessEnv,
): Promise<Simulation> {
  const vendor = create();
  const config = readSimulatorConfig(env, { port, dataDir: `.local/simulator-${name}` });
  const { server, close, url } = await startSimulator(vendor, `${name}.jsonl`, config);
  return { server, close, about: { listening: url + basePath, credentials: credentials(vendor.store.account) } };
}

/**
 * Starts `vendor` with the state in `stateFile` of the configured directory.
 * @throws StartupError when port, directory or set-up can't be used.
 */
async function startSimulator<K extends Kinds>(
  vendor: Vendor<K>,
  stateFile: string,
  config: SimulatorConfig,
): Promise<RunningSimulator> {
  // The port comes first: a simulator that was started twice must not touch the state of the running one.
  const server = await listen(config.host, config.port);
  try {
    const { store } = vendor;
    store.open(config.dataDir, stateFile);
    const scheduler = new Scheduler(vendor);
    const control = new Control(vendor, scheduler);
    if (store.isNew) control.setUp(config.account, config.readings);
    attach(server, vendor, scheduler, control);
    scheduler.arm();
    const close = (): void => {
      scheduler.stop();
      store.close();
    };
    return { url: urlOf(server), server, close, stop: () => stop(server).then(close) };
  } catch (error) {
    server.close();
    const what = error instanceof Invalid ? 'cannot be set up so' : `cannot keep its state in ${config.dataDir}`;
    throw new StartupError(`${what}: ${(error as Error).message}`);
  }
}

function attach<K extends Kinds>(
  server: Server,
  vendor: Vendor<K>,
  scheduler: Scheduler<K>,
  control: Control<K>,
): void {
  server.on('request', (request, response) => {
    // It also works below a base URL with a version, which the process of such a vendor prints.
    const controlPath = CONTROL_PATH.exec(request.url ?? '')?.[1];
    const answered =
      controlPath === undefined
        ? answerVendor(vendor, scheduler, request, response)
        : control.answer(request, controlPath).then((value) => sendJson(response, 200, value));
    answered.catch((error: unknown) => {
      if (error instanceof Invalid) return sendJson(response, 400, { message: error.message });
      // A client that disconnects in the middle of its request needs neither an answer nor a log line.
      if (response.destroyed) return;
      console.error('simulator: a request failed:', error);
      sendJson(response, 500, { message: 'the simulator failed' });
    });
  });
}
