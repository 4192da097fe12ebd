import { readSimulatorConfig } from '../common/config.js';
import type { Simulation } from '../common/process.js';
import { startDigiflazz } from './simulator.js';

const DEFAULTS = { port: 4011, dataDir: '.local/simulator-digiflazz' };

/** Starts the simulator for a process of its own; the credentials are those of its account for production. */
export async function simulate(env: NodeJS.ProcessEnv): Promise<Simulation> {
  const { server, close, url, account } = await startDigiflazz(readSimulatorConfig(env, DEFAULTS));
  const { username, keys, webhook } = account();
  const credentials: Record<string, string> = { username, key: keys.production };
  if (webhook.secret !== null) credentials.webhook_secret = webhook.secret;
  return { server, close, about: { listening: `${url}/v1`, credentials } };
}
