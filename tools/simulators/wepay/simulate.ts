import { readSimulatorConfig } from '../common/config.js';
import type { Simulation } from '../common/process.js';
import { startWepay } from './simulator.js';

const DEFAULTS = { port: 4012, dataDir: '.local/simulator-wepay' };

/** Starts the simulator for a process of its own. */
export async function simulate(env: NodeJS.ProcessEnv): Promise<Simulation> {
  const { server, close, url, account } = await startWepay(readSimulatorConfig(env, DEFAULTS));
  const { username, password } = account();
  return { server, close, about: { listening: url, credentials: { username, password } } };
}
