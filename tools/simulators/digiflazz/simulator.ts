import type { SimulatorConfig } from '../common/config.js';
import { type RunningSimulator, type Simulator, startVendor } from '../common/simulator.js';
import type { Kinds } from './model.js';
import { Digiflazz } from './vendor.js';

/** The credentials are those of the account for production. */
export const DIGIFLAZZ: Simulator<Kinds> = {
  name: 'digiflazz',
  port: 4011,
  create: () => new Digiflazz(),
  credentials: ({ keys, username, webhook }) => ({
    username,
    key: keys.production,
    ...(webhook.secret !== null && { webhook_secret: webhook.secret }),
  }),
  basePath: '/v1',
};

export const startDigiflazz = (config: SimulatorConfig): Promise<RunningSimulator> => startVendor(DIGIFLAZZ, config);
