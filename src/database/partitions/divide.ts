import { present } from '../../core/invariant.js';
import type { Logger } from '../../core/logger.js';
import { withBriefLock } from './brief-lock.js';
import type { PartitionedTable, TableGroup } from './table-groups.js';
import { PartitionsRepository, type Partition } from './partitions.repository.js';
import { withRunLock, refuseArchived, refuseBound, upperOf, type Execute } from './runs.js';

/**
 * Partitions tables by ranges of ids, in place, while processes of this version and the previous version work. Each existing
 * table becomes the first partition of a new table. Orders wait three or four times, for the locks and some tenths of a second
 * more. After an interruption, the next start continues. It also partitions tables that joined the group after the others were
 * partitioned.
 * @param execute on a connection of its own, without timeouts of locks and statements.
 * @param perPartition how many ids each partition after the first has.
 * @throws PartitionsRefused, LocksNotFree
 */
export const divideInPlace = (
  execute: Execute,
  group: TableGroup,
  perPartition: bigint,
  logger: Logger,
): Promise<void> => withRunLock(execute, () => divideAlone(execute, group, perPartition, logger));

async function divideAlone(execute: Execute, group: TableGroup, perPartition: bigint, logger: Logger): Promise<void> {
  const tables = new PartitionsRepository(execute, group);
  const whole = await tables.listWhole();
  if (await tables.isPartitioned())
    logger.info(`${group.name} are already partitioned: adding the missing partitions and keys`);
  if (whole.length > 0) await divide(execute, tables, whole, perPartition, logger);
  const addMissing = async (): Promise<void> => tables.addMissing(await tables.listMissing(perPartition));
  if ((await tables.listMissing(perPartition)).length > 0)
    await withBriefLock(execute, await tables.namesToLock(), addMissing);
  await tables.validateOuterKeys();
  // Acquires all locks together: one by one, they could deadlock with orders that are being placed.
  if (await tables.areOuterKeysMissing())
    await withBriefLock(execute, await tables.namesToLock(), () => tables.addOuterKeys());
  await tables.analyze();
  logger.info(`${group.name} are partitioned`);
}

/**
 * Adds a partition to each table of the group once ids have begun to fill the newest one, so that one partition is always
 * empty. Any number of processes may call this at once. Orders wait for some tenths of a second.
 * @returns the partitions that it added: none if there was no need, or the group is not partitioned.
 * @throws LocksNotFree
 */
export async function keepAhead(execute: Execute, group: TableGroup): Promise<Partition[]> {
  const tables = new PartitionsRepository(execute, group);
  if ((await tables.listMissing()).length === 0) return [];
  const addNext = async (): Promise<Partition[]> => {
    // Another process may have added them meanwhile.
    const missing = await tables.listMissing();
    await tables.addMissing(missing);
    return missing.map(({ range }) => range);
  };
  return withBriefLock(execute, await tables.namesToLock(), addNext, 1);
}

async function divide(
  execute: Execute,
  tables: PartitionsRepository,
  whole: readonly PartitionedTable[],
  perPartition: bigint,
  logger: Logger,
): Promise<void> {
  const names = whole.map(({ name }) => name);
  await refuseArchived(execute);
  await refuseBound(execute, names);
  const own = names.join(', ');
  const first = await chooseFirst(tables, perPartition);
  try {
    await withBriefLock(execute, own, async () => {
      await tables.dropRange(whole);
      await tables.addRange(whole, first.upper);
    });
    logger.info({ tables: names, upTo: first.upper }, 'validating the constraints: writers go on meanwhile');
    await tables.validate(whole);
    const startedMs = performance.now();
    await withBriefLock(execute, await tables.namesToLock(), () => tables.switch(whole, first));
    logger.info({ ms: Math.round(performance.now() - startedMs) }, 'the tables are partitions now');
  } catch (error) {
    await withBriefLock(execute, own, () => tables.dropRange(whole)).catch((left: unknown) =>
      logger.error(
        { err: left },
        'the constraints ck_…_first_partition could not be dropped, and inserts fail once ids reach them: start the partitioning again soon',
      ),
    );
    throw error;
  }
}

/**
 * Chooses the range of the first partition, which the existing tables become. Its end must be half a partition ahead of the
 * ids in use. A table that joined the group later gets the end of an existing partition: the first that is so far ahead,
 * or else the newest.
 */
async function chooseFirst(tables: PartitionsRepository, perPartition: bigint): Promise<Partition> {
  const next = await tables.nextId();
  const ranges = await tables.listPartitions();
  if (ranges.length === 0) return { number: 1, lower: null, upper: String(upperOf(next, perPartition)) };
  const hasRoom = ({ lower, upper }: Partition): boolean =>
    BigInt(upper) - next >= (BigInt(upper) - BigInt(lower ?? 0)) / 2n;
  return present(ranges.find(hasRoom) ?? ranges.at(-1), 'the first table is partitioned');
}
