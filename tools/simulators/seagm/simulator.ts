import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, type Simulator, startVendor } from '../common/simulator.js';
import type { Kinds } from './model.js';
import { Seagm } from './vendor.js';

export const SEAGM: Simulator<Kinds> = {
  name: 'seagm',
  port: 4014,
  create: () => new Seagm(),
  credentials: ({ secret_key, uid }) => ({ uid, secret_key }),
};

export const startSeagm = (config: SimulatorConfig): Promise<RunningSimulator> => startVendor(SEAGM, config);
