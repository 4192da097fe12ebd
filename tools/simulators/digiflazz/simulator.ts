import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, startSimulator } from '../common/simulator.js';
import type { Account } from './model.js';
import { Digiflazz } from './vendor.js';

/** The vendor on a port of its own. The base URL of its interface is `url` and `/v1`. */
export interface DigiflazzSimulator extends RunningSimulator {
  readonly account: () => Account;
}

/** Starts the simulator. @throws StartupError when port, directory or set-up can't be used. */
export async function startDigiflazz(config: SimulatorConfig): Promise<DigiflazzSimulator> {
  const vendor = new Digiflazz();
  const running = await startSimulator(vendor, 'digiflazz.jsonl', config);
  return { ...running, account: () => vendor.store.account };
}
