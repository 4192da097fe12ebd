import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, startSimulator } from '../common/simulator.js';
import type { Account } from './model.js';
import { Wepay } from './vendor.js';

/** The vendor on a port of its own; `url` is the base URL of its interface. */
export interface WepaySimulator extends RunningSimulator {
  readonly account: () => Account;
}

/** Starts the simulator. @throws StartupError when port, directory or set-up can't be used. */
export async function startWepay(config: SimulatorConfig): Promise<WepaySimulator> {
  const vendor = new Wepay();
  const running = await startSimulator(vendor, 'wepay.jsonl', config);
  return { ...running, account: () => vendor.store.account };
}
