import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, type Simulator, startVendor } from '../common/simulator.js';
import type { Kinds } from './model.js';
import { Wepay } from './vendor.js';

export const WEPAY: Simulator<Kinds> = {
  name: 'wepay',
  port: 4012,
  create: () => new Wepay(),
  credentials: ({ password, username }) => ({ username, password }),
};

export const startWepay = (config: SimulatorConfig): Promise<RunningSimulator> => startVendor(WEPAY, config);
