import type { Logger } from '../../core/logger.js';
import { divideInPlace } from './divide.js';
import { TRANSFERS } from './partition-sets.js';
import type { Run } from './runs.js';

/** Divides movements of money by ranges of their ids. See {@link divideInPlace}. */
export const partitionTransfers = (run: Run, perPartition: bigint, logger: Logger): Promise<void> =>
  divideInPlace(run, TRANSFERS, perPartition, logger);
