import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, type Simulator, startVendor } from '../common/simulator.js';
import type { Kinds } from './model.js';
import { Lapakgaming } from './vendor.js';

export const LAPAKGAMING: Simulator<Kinds> = {
  name: 'lapakgaming',
  port: 4013,
  create: () => new Lapakgaming(),
  credentials: ({ secret_key }) => ({ secret_key }),
};

export const startLapakgaming = (config: SimulatorConfig): Promise<RunningSimulator> =>
  startVendor(LAPAKGAMING, config);
