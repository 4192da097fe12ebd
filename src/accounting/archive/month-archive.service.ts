import { existsSync } from 'node:fs';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { assertActor, recordAction, type Actor } from '../../audit-log/audit-log.js';
import { ClosingsRepository, type ArchivedOrders } from '../audit/closings.repository.js';
import type { ClosedMonth } from '../audit/closed-month.entity.js';
import { AppError } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { Database } from '../../database/database.js';
import { acquireLock } from '../../database/partitions/runs.js';
import { ArchiveRepository, type OrdersPartition, type StateRow } from './archive.repository.js';
import { assertOnDisk, makeDirectory, readText } from './files.js';
import { ArchiveConnectionsService, type ArchiveConnection } from './archive-connections.service.js';
import { MANIFEST, parseManifest, type Manifest } from './manifest.js';
import { PartitionFiles, type Files, type OnStep } from './partition-files.js';

/**
 * An order is archived at least this many days after the end of its month and after its last change. By then, disputes about
 * the order are over.
 */
export const KEEP_DAYS = 90;

interface ArchiveOptions {
  /** The last month whose orders may be archived. */
  through: string;
  /** The parent of the partitions' directories. */
  directory: string;
  by: Actor;
  onStep?: OnStep;
}

/** An archived partition. */
export interface Archived {
  partition: string;
  directory: string;
  orders: number;
  from: string;
  through: string;
  bytes: number;
}

const refused = (message: string): AppError => new AppError('CONFLICT', message);

/**
 * Moves the oldest partitions of orders to files, once all of their orders lie in closed months. It removes rows only after it
 * has read back their files. References stay in the database, so that no merchant can use a reference for a second order. After
 * an interruption, the next start resumes the work.
 */
@Injectable()
export class MonthArchiveService {
  constructor(
    private readonly links: ArchiveConnectionsService,
    private readonly database: Database,
    private readonly closings: ClosingsRepository,
  ) {}

  /** Archived partitions, oldest first. */
  list(): Promise<ArchivedOrders[]> {
    return this.closings.listArchived(this.database);
  }

  /**
   * Archives all partitions that may be archived, the oldest first.
   * @throws BAD_REQUEST if `through` ended too recently; CONFLICT with the reason if no partition can be archived, or if an
   * obstacle stops a later one; PartitionsRefused; LocksNotFree
   */
  async archive(options: ArchiveOptions): Promise<Archived[]> {
    assertActor(options.by);
    await this.assertOldEnough(options.through);
    const link = await this.links.open();
    try {
      await acquireLock(link.run);
      return await this.archiveAll(link, options);
    } finally {
      await link.end();
    }
  }

  private async assertOldEnough(through: string): Promise<void> {
    const { closable, closable_at: at } = await this.closings.endOf(through, KEEP_DAYS);
    if (!closable)
      throw new AppError('BAD_REQUEST', `orders of ${through} can be archived from ${at.toISOString()} on`);
  }

  private async archiveAll(link: ArchiveConnection, options: ArchiveOptions): Promise<Archived[]> {
    const archive = new ArchiveRepository(link);
    const closings = await this.closings.list(this.database);
    const last = closings.find(({ month }) => month === options.through);
    if (!last) throw refused(`${options.through} is not closed: see topup month list`);
    const done: Archived[] = [];
    for (;;) {
      const states = await archive.listStates();
      const detached = states.find(({ state }) => state === 'detached');
      if (detached) {
        done.push(await this.finish(archive, detached, { ...options, closings }));
        continue;
      }
      const [oldest] = await archive.listPartitions();
      if (!oldest)
        throw refused(
          'orders are not partitioned, and only partitions can be archived: see npm run partition -- orders',
        );
      const why = await this.whyNot(archive, oldest, last);
      if (why !== null) {
        if (done.length > 0) return done;
        throw refused(why);
      }
      const state = states.find(({ number }) => number === oldest.number);
      done.push(await this.archiveOne(archive, oldest, { closings, state }, options));
    }
  }

  /** @returns why the oldest partition can't be archived, in words; null if its ids allow it. */
  private async whyNot(
    archive: ArchiveRepository,
    partition: OrdersPartition,
    { month, orders_through: through }: ClosedMonth,
  ): Promise<string | null> {
    const { last, passed } = await archive.findEnds(partition);
    const name = `orders_p${partition.number}`;
    if (!passed) return `${name} is the oldest partition, and new orders still fill it`;
    return last === null || BigInt(last) <= through
      ? null
      : `${name} is the oldest partition, and has orders after the end of ${month}: name a later month`;
  }

  private async archiveOne(
    archive: ArchiveRepository,
    partition: OrdersPartition,
    { closings, state }: { closings: ClosedMonth[]; state: StateRow | undefined },
    options: ArchiveOptions,
  ): Promise<Archived> {
    const { onStep = () => undefined, by } = options;
    if (state?.state === 'attached')
      throw refused(`the restore of ${state.directory} is unfinished: topup month restore resumes it`);
    await this.assertEnded(archive, partition, closings);
    const directory = path.resolve(options.directory, `orders_p${partition.number}`);
    const months = await this.monthsOf(archive, partition, closings);
    const orders = months.reduce((sum, each) => sum + each.orders, 0);
    const suppliers = await archive.listSuppliers(partition);
    // An interrupted start may have left files in this directory, which are overwritten.
    await makeDirectory(directory, { mayHaveFiles: state?.directory === directory });
    await archive.begin(partition, { directory, orders, months, suppliers, by: by.operator });
    const files = new PartitionFiles(archive, partition, directory, onStep);
    const written = await files.write(months);
    await archive.setVerified(partition.number, written.hash, written.bytes);
    // References that an earlier start stored may be outdated.
    if (state) await archive.forgetReferences(partition);
    await archive.keep(partition, (done) => onStep(`keeping references: ${done} of ${orders}`));
    await this.assertStored(archive, partition);
    // The steps above take long: check again before removing anything.
    await this.assertEnded(archive, partition, closings);
    await onStep('waiting for the locks of the tables of orders');
    await archive.detach(partition);
    const detached = present(
      (await archive.listStates()).find(({ number }) => number === partition.number),
      'it is on its way',
    );
    return this.finish(archive, detached, { ...options, closings }, written);
  }

  /** Compares the detached tables, which cannot change any more, with their files, and only then drops them. */
  private async finish(
    archive: ArchiveRepository,
    state: StateRow,
    { onStep = () => undefined, by, closings }: ArchiveOptions & { closings: ClosedMonth[] },
    written?: Files,
  ): Promise<Archived> {
    const { number, directory } = state;
    const found = await archive.findDetached(state);
    let manifest = written?.manifest ?? (await this.readOwn(state, found.parts.length > 0));
    const partition = manifest ? { ...found, parts: partsIn(manifest) } : found;
    const names = partition.parts.map(({ name }) => name);
    const left = await archive.listTables(names);
    if (left.some(({ attached }) => attached)) throw refused(`${names.join(', ')} have been attached again by hand`);
    if (left.length > 0) {
      // An earlier version may have begun with a directory in memory.
      await assertOnDisk(directory);
      const files = new PartitionFiles(archive, partition, directory, onStep);
      const isWhole = written !== undefined || (manifest !== null && (await files.areWhole(manifest)));
      if (manifest === null || !isWhole || !(await files.areAsWritten(manifest))) {
        // A row changed between the copy and the detach, or a file was lost. The tables still exist, so write the files again.
        const again = await files.write(await this.monthsOf(archive, partition, closings));
        await archive.setVerified(number, again.hash, again.bytes);
        manifest = again.manifest;
      }
      await onStep('comparing references');
      // Between storing the purchases and the detach, a supplier may have reported its reference of a purchase.
      await archive.keepPurchases(partition);
      await this.assertStored(archive, partition);
      await archive.drop(names);
    }
    if (manifest === null)
      throw refused(
        `${path.join(directory, MANIFEST)} is missing, changed or damaged, and the tables of orders_p${number} are dropped: ` +
          `put back ${directory} from a copy`,
      );
    return this.record(archive, state, manifest, by);
  }

  private async record(
    archive: ArchiveRepository,
    { number, directory }: StateRow,
    { months, orders, tables }: Manifest,
    by: Actor,
  ): Promise<Archived> {
    const used = months.filter((each) => each.orders > 0);
    const archived = {
      partition: `orders_p${number}`,
      directory,
      orders,
      from: used[0]?.month ?? months[0]?.month ?? '',
      through: used.at(-1)?.month ?? months.at(-1)?.month ?? '',
      bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    await this.database.transaction(async (tx) => {
      await archive.setDropped(tx, number);
      recordAction(tx, by, { action: 'month.archive', detail: { ...archived } });
    });
    return archived;
  }

  /**
   * Reads the manifest of an earlier start; null if it is lost, damaged or changed.
   * @throws CONFLICT if the manifest belongs to another partition or has another format, or if its directory is missing. Then the
   * disk may just not be mounted.
   */
  private async readOwn(
    { directory, number, manifest_hash: hash }: StateRow,
    hasTables: boolean,
  ): Promise<Manifest | null> {
    if (!existsSync(directory)) {
      const remedy = hasTables ? 'make this directory anew: they are written again' : 'put them back from a copy';
      throw refused(
        `${directory} is missing: its orders are not archived completely yet. ` +
          `Please mount its disk, or, if the files are lost, ${remedy}`,
      );
    }
    const file = path.join(directory, MANIFEST);
    const found = existsSync(file) ? await readText(file) : null;
    const manifest = found && parseManifest(found.text, file);
    if (!manifest) return null;
    const isOf = ({ table, partition }: Manifest['tables'][number]): boolean =>
      partition === null || partition === `${table}_p${number}`;
    if (manifest.number !== number || !manifest.tables.every(isOf))
      throw refused(`${file} belongs to another partition`);
    return found.sha256 === hash ? manifest : null;
  }

  /** @throws CONFLICT if an order's stored reference is missing or differs. */
  private async assertStored(
    archive: ArchiveRepository,
    { number, parts }: Pick<OrdersPartition, 'number' | 'parts'>,
  ): Promise<void> {
    const missing = await archive.countMissing(parts);
    if (missing > 0)
      throw refused(`${missing} orders of orders_p${number} have no matching stored reference: nothing was removed`);
  }

  /** @throws CONFLICT for an order that must stay in the database for now. */
  private async assertEnded(
    archive: ArchiveRepository,
    partition: OrdersPartition,
    closings: ClosedMonth[],
  ): Promise<void> {
    const name = `orders_p${partition.number}`;
    const [lower, upper] = [BigInt(partition.lower ?? 0), BigInt(partition.upper)];
    const leftOpen = closings.at(-1)?.left_open.find((id) => id >= lower && id < upper);
    if (leftOpen !== undefined)
      throw refused(`${name} can't be archived yet: order ${leftOpen} was left open by the last closed month`);
    const found = await archive.findObstacles(partition, KEEP_DAYS);
    const why = {
      open: 'has not ended',
      recent: `ended less than ${KEEP_DAYS} days ago`,
      review: 'has a unit in review',
      discrepancy: 'has an open discrepancy',
      undelivered: 'has an event that is still being delivered',
      unqueried: 'has an attempt about which its supplier must still be queried',
    };
    for (const [obstacle, words] of Object.entries(why)) {
      const id = found[obstacle as keyof typeof why];
      if (id !== null) throw refused(`${name} can't be archived yet: the order with id ${id} ${words}`);
    }
  }

  /** @throws CONFLICT if an order lies in no closed month, which means that a closing is wrong. */
  private async monthsOf(
    archive: ArchiveRepository,
    partition: OrdersPartition,
    closings: ClosedMonth[],
  ): Promise<Manifest['months']> {
    const hashes = new Map(closings.map(({ month, hash }) => [month, hash.toString('hex')]));
    const months = (await archive.countMonths(partition)).map(({ month, orders }) => ({
      month,
      orders,
      hash: present(hashes.get(month), 'it is closed'),
    }));
    const counted = months.reduce((sum, { orders }) => sum + orders, 0);
    const there = await archive.count(`orders_p${partition.number}`);
    if (counted !== there)
      throw refused(
        `orders_p${partition.number} has ${there} orders, and ${counted} of them lie in closed months: see topup audit --full`,
      );
    return months;
  }
}

/** The tables that had the rows of a partition's files. */
const partsIn = ({ number, tables }: Manifest): OrdersPartition['parts'] =>
  tables.flatMap(({ partition, ...part }) => (partition === null ? [] : [{ ...part, name: partition, number }]));
