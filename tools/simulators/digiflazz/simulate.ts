import type { Simulation } from '../common/process.js';
import { readConfig } from './config.js';
import { startDigiflazz } from './simulator.js';

/** Starts the simulator for a process of its own; the credentials are those of its account for production. */
export async function simulate(env: NodeJS.ProcessEnv): Promise<Simulation> {
  const { server, close, url, account } = await startDigiflazz(readConfig(env));
  const { username, keys, webhook } = account();
  const credentials: Record<string, string> = { username, key: keys.production };
  if (webhook.secret !== null) credentials.webhook_secret = webhook.secret;
  return { server, close, about: { listening: `${url}/v1`, credentials } };
}
