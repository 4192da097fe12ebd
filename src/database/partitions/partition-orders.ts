import type { Logger } from '../../core/logger.js';
import { divideInPlace, keepAhead } from './divide.js';
import { ORDERS } from './partition-sets.js';
import type { Partition } from './partitions.repository.js';
import type { Run } from './runs.js';

/** Divides the tables of orders by ranges of the orders' ids. See {@link divideInPlace}. */
export const partitionOrders = (run: Run, perPartition: bigint, logger: Logger): Promise<void> =>
  divideInPlace(run, ORDERS, perPartition, logger);

/** Keeps a partition of orders ahead. See {@link keepAhead}. */
export const keepPartitionAhead = (run: Run): Promise<Partition[]> => keepAhead(run, ORDERS);
