import type { Logger } from '../../core/logger.js';
import { briefly } from './briefly.js';
import { OrderPartitionsRepository, type Partition } from './order-partitions.repository.js';
import { alone, refuseBound, upperOf, type Run } from './runs.js';

/**
 * Divides the tables of orders by ranges of the orders' ids, in place and beside processes of this version and the one
 * before: what is there becomes the first partition as it is. Orders wait twice, for as long as the locks take and some
 * tenths of a second. Whatever interrupts it, it can be started again, and goes on.
 * @param run on a connection of its own, which waits for locks and statements without limits.
 * @param perPartition how many orders each partition after the first holds.
 * @throws PartitionsRefused, LocksNotFree
 */
export async function partitionOrders(run: Run, perPartition: bigint, logger: Logger): Promise<void> {
  const tables = new OrderPartitionsRepository(run);
  await alone(run, () => partitionAlone(run, tables, perPartition, logger));
}

async function partitionAlone(
  run: Run,
  tables: OrderPartitionsRepository,
  perPartition: bigint,
  logger: Logger,
): Promise<void> {
  if (await tables.isPartitioned()) logger.info('orders are partitioned: looking after the rest');
  else await divide(run, tables, perPartition, logger);
  const [first, ...others] = await tables.findPartitions();
  const { all } = await tables.findTables();
  if (first && others.length === 0) await briefly(run, all, () => tables.add(first, perPartition));
  await tables.validateOuterKeys();
  await tables.analyze();
  logger.info('orders are partitioned');
}

/**
 * Adds a partition once orders have begun to fill the newest one, so that one is always ahead. Any number of processes may
 * do that at once. Orders wait for some tenths of a second.
 * @returns the partition that was added; null where there was no need, or orders are not partitioned.
 * @throws LocksNotFree
 */
export async function keepPartitionAhead(run: Run): Promise<Partition | null> {
  const tables = new OrderPartitionsRepository(run);
  if (!(await tables.isPartitioned()) || !(await findReached(tables))) return null;
  const { all } = await tables.findTables();
  const addNext = async (): Promise<Partition | null> => {
    // Another process may have been first.
    const reached = await findReached(tables);
    return reached && tables.add(reached, BigInt(reached.upper) - BigInt(reached.lower ?? 0));
  };
  return briefly(run, all, addNext, 1);
}

/** The newest partition, when ids have got there. */
async function findReached(tables: OrderPartitionsRepository): Promise<Partition | null> {
  const newest = (await tables.findPartitions()).at(-1);
  const isReached = newest && (await tables.nextId()) >= BigInt(newest.lower ?? 0);
  return isReached ? newest : null;
}

async function divide(
  run: Run,
  tables: OrderPartitionsRepository,
  perPartition: bigint,
  logger: Logger,
): Promise<void> {
  await refuseBound(run, tables.names);
  const { all, own } = await tables.findTables();
  const upper = upperOf(await tables.nextId(), perPartition);
  try {
    await briefly(run, own, async () => {
      await tables.dropRange();
      await tables.addRange(upper);
    });
    logger.info({ upTo: String(upper) }, 'reading the tables of orders, beside those who write');
    await tables.validate();
    const startedMs = performance.now();
    await briefly(run, all, () => tables.switch(upper));
    logger.info({ ms: Math.round(performance.now() - startedMs) }, 'the tables are partitions now');
  } catch (error) {
    await briefly(run, own, () => tables.dropRange()).catch((left: unknown) =>
      logger.error({ err: left }, `the constraints ck_…_first_partition are left: start again soon`),
    );
    throw error;
  }
}
