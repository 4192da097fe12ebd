import { present } from '../../core/invariant.js';
import type { Logger } from '../../core/logger.js';
import { briefly } from './briefly.js';
import type { PartitionedTable, PartitionSet } from './partition-sets.js';
import { PartitionsRepository, type Partition } from './partitions.repository.js';
import { alone, refuseArchived, refuseBound, upperOf, type Run } from './runs.js';

/**
 * Divides tables by ranges of ids, in place and beside processes of this version and the one before: what is there becomes
 * the first partition as it is. Orders wait twice, for as long as the locks take and some tenths of a second. Whatever
 * interrupts it, it can be started again, and goes on. Where the version before divided them, the tables that it did not
 * know as theirs follow.
 * @param run on a connection of its own, which waits for locks and statements without limits.
 * @param perPartition how many ids each partition after the first has.
 * @throws PartitionsRefused, LocksNotFree
 */
export const divideInPlace = (run: Run, set: PartitionSet, perPartition: bigint, logger: Logger): Promise<void> =>
  alone(run, () => divideAlone(run, set, perPartition, logger));

async function divideAlone(run: Run, set: PartitionSet, perPartition: bigint, logger: Logger): Promise<void> {
  const tables = new PartitionsRepository(run, set);
  const whole = await tables.findWhole();
  if (await tables.isPartitioned()) logger.info(`${set.name} are partitioned: looking after the rest`);
  if (whole.length > 0) await divide(run, tables, whole, perPartition, logger);
  const fill = async (): Promise<void> => tables.fill(await tables.findLacks(perPartition));
  if ((await tables.findLacks(perPartition)).length > 0) await briefly(run, await tables.findLocked(), fill);
  await tables.validateOuterKeys();
  // With locks that are taken together: one by one they would meet those of orders that are being placed.
  if (await tables.lackOuterKeys()) await briefly(run, await tables.findLocked(), () => tables.giveOuterKeys());
  await tables.analyze();
  logger.info(`${set.name} are partitioned`);
}

/**
 * Adds a partition once ids have begun to fill the newest one, so that one is always ahead, to each table of the set. Any
 * number of processes may do that at once. Orders wait for some tenths of a second.
 * @returns the partitions that were added; none where there was no need, or the set is not partitioned.
 * @throws LocksNotFree
 */
export async function keepAhead(run: Run, set: PartitionSet): Promise<Partition[]> {
  const tables = new PartitionsRepository(run, set);
  if ((await tables.findLacks()).length === 0) return [];
  const addNext = async (): Promise<Partition[]> => {
    // Another process may have been first.
    const lacks = await tables.findLacks();
    await tables.fill(lacks);
    return lacks.map(({ range }) => range);
  };
  return briefly(run, await tables.findLocked(), addNext, 1);
}

async function divide(
  run: Run,
  tables: PartitionsRepository,
  whole: readonly PartitionedTable[],
  perPartition: bigint,
  logger: Logger,
): Promise<void> {
  const names = whole.map(({ name }) => name);
  await refuseArchived(run);
  await refuseBound(run, names);
  const own = names.join(', ');
  const first = await chooseFirst(tables, perPartition);
  try {
    await briefly(run, own, async () => {
      await tables.dropRange(whole);
      await tables.addRange(whole, first.upper);
    });
    logger.info({ tables: names, upTo: first.upper }, 'reading the tables, beside those who write');
    await tables.validate(whole);
    const startedMs = performance.now();
    await briefly(run, await tables.findLocked(), () => tables.switch(whole, first));
    logger.info({ ms: Math.round(performance.now() - startedMs) }, 'the tables are partitions now');
  } catch (error) {
    await briefly(run, own, () => tables.dropRange(whole)).catch((left: unknown) =>
      logger.error({ err: left }, `the constraints ck_…_first_partition are left: start again soon`),
    );
    throw error;
  }
}

/**
 * The partition that the tables become as they are: it ends at least half a partition ahead. A table that follows the others
 * has all rows up to there in its first partition.
 */
async function chooseFirst(tables: PartitionsRepository, perPartition: bigint): Promise<Partition> {
  const next = await tables.nextId();
  const ranges = await tables.findPartitions();
  if (ranges.length === 0) return { number: 1, lower: null, upper: String(upperOf(next, perPartition)) };
  const hasRoom = ({ lower, upper }: Partition): boolean =>
    BigInt(upper) - next >= (BigInt(upper) - BigInt(lower ?? 0)) / 2n;
  return present(ranges.find(hasRoom) ?? ranges.at(-1), 'the first table is partitioned');
}
