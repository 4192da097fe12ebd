import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, startSimulator } from '../common/simulator.js';
import type { Account } from './model.js';
import { Seagm } from './vendor.js';

/** The vendor on a port of its own; `url` is the base URL of its interface. */
export interface SeagmSimulator extends RunningSimulator {
  readonly account: () => Account;
}

/** Starts the simulator. @throws StartupError when port, directory or set-up can't be used. */
export async function startSeagm(config: SimulatorConfig): Promise<SeagmSimulator> {
  const vendor = new Seagm();
  const running = await startSimulator(vendor, 'seagm.jsonl', config);
  return { ...running, account: () => vendor.store.account };
}
