import { readSimulatorConfig } from '../common/config.js';
import type { Simulation } from '../common/process.js';
import { startSeagm } from './simulator.js';

const DEFAULTS = { port: 4014, dataDir: '.local/simulator-seagm' };

/** Starts the simulator for a process of its own. */
export async function simulate(env: NodeJS.ProcessEnv): Promise<Simulation> {
  const { server, close, url, account } = await startSeagm(readSimulatorConfig(env, DEFAULTS));
  const { secret_key, uid } = account();
  return { server, close, about: { listening: url, credentials: { uid, secret_key } } };
}
