import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, startSimulator } from '../common/simulator.js';
import type { Account } from './model.js';
import { lapakgaming } from './vendor.js';

/** The vendor on a port of its own; `url` is its base URL. */
export interface LapakgamingSimulator extends RunningSimulator {
  readonly account: () => Account;
}

/** Starts the simulator. @throws StartupError when port, directory or set-up can't be used. */
export async function startLapakgaming(config: SimulatorConfig): Promise<LapakgamingSimulator> {
  const vendor = lapakgaming();
  const running = await startSimulator(vendor, 'lapakgaming.jsonl', config);
  return { ...running, account: () => vendor.store.account };
}
