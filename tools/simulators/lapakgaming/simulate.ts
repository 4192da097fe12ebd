import { readSimulatorConfig } from '../common/config.js';
import type { Simulation } from '../common/process.js';
import { startLapakgaming } from './simulator.js';

const DEFAULTS = { port: 4013, dataDir: '.local/simulator-lapakgaming' };

/** Starts the simulator for a process of its own. */
export async function simulate(env: NodeJS.ProcessEnv): Promise<Simulation> {
  const { server, close, url, account } = await startLapakgaming(readSimulatorConfig(env, DEFAULTS));
  return { server, close, about: { listening: url, credentials: { secret_key: account().secret_key } } };
}
