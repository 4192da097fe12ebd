import type { Readable, Writable } from 'node:stream';
import { withBriefLock } from '../../database/partitions/brief-lock.js';
import type { Execute } from '../../database/partitions/runs.js';
import type { ArchiveState } from '../audit/archived-partition.entity.js';
import { present } from '../../core/invariant.js';
import type { Transaction } from '../../database/database.js';
import * as sql from './archive.sql.js';
import * as kept from './kept-orders.sql.js';
import type { ArchiveConnection } from './archive-connections.service.js';

export type { Obstacles, Part, Range, StateRow } from './archive.sql.js';
type Statement = { statement: string };

/** The partitions of one range of orders: of `orders` first, then of the dependent tables. */
export interface OrdersPartition {
  number: number;
  lower: string | null;
  upper: string;
  parts: sql.Part[];
}

/** Orders or stored rows in each statement, which then takes about a second. */
const BATCH_ROWS = 5_000;

/** Archives and restores partitions of the tables of orders. */
export class ArchiveRepository {
  private readonly run: Execute;

  constructor(private readonly link: ArchiveConnection) {
    this.run = link.run;
  }

  /** Attached partitions, lowest ids first; empty if orders are not partitioned. */
  async listPartitions(): Promise<OrdersPartition[]> {
    const parts = await this.run<sql.Part>(sql.LIST_PARTS);
    return parts
      .filter(({ table }) => table === 'orders')
      .map(({ number, lower, upper }) => ({
        number,
        lower,
        upper,
        parts: parts.filter((part) => part.upper === upper),
      }));
  }

  listStates(): Promise<sql.StateRow[]> {
    return this.run<sql.StateRow>(sql.LIST_STATES);
  }

  findEnds({ upper, parts }: OrdersPartition): Promise<sql.Ends> {
    return this.one<sql.Ends>(sql.findEnds(nameOf(parts, 'orders'), upper));
  }

  /** @param days how many days an order must be unchanged. */
  async findObstacles({ lower, upper, parts }: OrdersPartition, days: number): Promise<sql.Obstacles> {
    const [orders, units] = [nameOf(parts, 'orders'), nameOf(parts, 'order_units')];
    const text = sql.findObstacles(orders, units, { lower, upper, days });
    return this.one<sql.Obstacles>(text);
  }

  async count(name: string): Promise<number> {
    return Number((await this.one<{ rows: string }>(sql.countOf(name))).rows);
  }

  countMonths({ lower, upper, parts }: OrdersPartition): Promise<{ month: string; orders: number }[]> {
    return this.run(sql.countMonths(nameOf(parts, 'orders'), { lower, upper }));
  }

  async listSuppliers({ parts }: OrdersPartition): Promise<number[]> {
    const names = ['order_items', 'order_units', 'unit_attempts'].map((table) => nameOf(parts, table));
    return (await this.run<{ id: number }>(sql.listSuppliers(names))).map(({ id }) => id);
  }

  /** Lists tables outside of a partition that refer to its orders, and their column with the id of the order. */
  listReferring({ parts }: OrdersPartition): Promise<{ table: string; key: string }[]> {
    return this.run(sql.LIST_REFERRING, [parts.map(({ name }) => name)]);
  }

  /** @returns all columns except generated ones, and the columns of the primary key in the key's order. */
  async findColumns(table: string): Promise<{ columns: string[]; order: string[] }> {
    const found = await this.run<sql.CopiedColumn>(sql.LIST_COLUMNS, [table]);
    const inKey = found.filter(({ place }) => place !== null);
    return {
      columns: found.map(({ name }) => name),
      order: inKey.sort((one, other) => (one.place ?? 0) - (other.place ?? 0)).map(({ name }) => name),
    };
  }

  /** Reads the rows of a partition, sorted by `order`. */
  readPart(name: string, columns: readonly string[], order: readonly string[]): Readable {
    return this.link.copyOut(sql.copyPart(name, columns, order));
  }

  /** Reads the rows of another table that belong to a range of orders. */
  readReferring(table: string, columns: readonly string[], range: sql.Range): Readable {
    return this.link.copyOut(sql.copyReferring(table, columns, range));
  }

  /** A stream that writes rows into a table. */
  writeRows(name: string, columns: readonly string[]): Writable {
    return this.link.copyIn(sql.copyIn(name, columns));
  }

  async findSchema(): Promise<string> {
    return (await this.one<{ name: string }>(sql.FIND_SCHEMA)).name;
  }

  async begin(
    { number, lower, upper }: OrdersPartition,
    archived: { directory: string; orders: number; months: object[]; suppliers: number[]; by: string },
  ): Promise<void> {
    const { directory, orders, months, suppliers, by } = archived;
    await this.run(sql.BEGIN, [number, lower, upper, directory, orders, JSON.stringify(months), suppliers, by]);
  }

  async setVerified(number: number, manifestHash: string, bytes: number): Promise<void> {
    await this.run(sql.SET_VERIFIED, [number, manifestHash, bytes]);
  }

  /** Stores the references and purchases of a partition's orders. Does not change references that were stored before. */
  async keep({ parts }: OrdersPartition, onProgress: (done: number) => unknown): Promise<void> {
    const orders = nameOf(parts, 'orders');
    const references = kept.keepReferences(orders, nameOf(parts, 'order_items'));
    const purchases = kept.keepPurchases(orders, nameOf(parts, 'order_units'), nameOf(parts, 'unit_attempts'));
    await this.inBatches(orders, [references, purchases], onProgress);
  }

  /** Stores the current purchases of a partition's orders. */
  async keepPurchases({ parts }: Pick<OrdersPartition, 'parts'>): Promise<void> {
    const orders = nameOf(parts, 'orders');
    const [units, attempts] = [nameOf(parts, 'order_units'), nameOf(parts, 'unit_attempts')];
    await this.inBatches(orders, [kept.keepPurchases(orders, units, attempts)]);
  }

  /** Counts orders whose stored reference is missing or differs. */
  async countMissing(parts: readonly { table: string; name: string }[]): Promise<number> {
    const text = kept.countMissing(nameOf(parts, 'orders'), nameOf(parts, 'order_items'));
    return Number((await this.one<{ rows: string }>(text)).rows);
  }

  /** Detaches a partition from its tables, which are locked meanwhile. @throws LocksNotFree */
  async detach({ number, parts }: OrdersPartition): Promise<void> {
    const names = parts.map(({ name }) => name);
    await withBriefLock(this.run, await this.locked(), async () => {
      const keys = await this.run<{ dropped: string; added: string[] }>(sql.WRITE_OUTER_KEYS, [names]);
      await this.run(
        [
          ...keys.map(({ dropped }) => dropped),
          ...parts.map(({ table, name }) => sql.detach(table, name)).reverse(),
          ...keys.flatMap(({ added }) => added),
          sql.ADD_REFERENCE_TRIGGER,
        ].join(';\n'),
      );
      await this.runWritten(sql.WRITE_OWN_KEYS_DROPPED, [names]);
      await this.setState(number, 'detached');
    });
  }

  /**
   * Finds a partition's detached tables by their names; none if they are dropped. A table with the calls of several partitions of
   * orders was the first partition of `supplier_calls`, so it has no lower bound.
   */
  async findDetached({ number, first_id: first, end_id: upper }: sql.StateRow): Promise<OrdersPartition> {
    const parts: sql.Part[] = [];
    for (const part of await this.run<Omit<sql.Part, 'number' | 'lower' | 'upper'>>(sql.LIST_NUMBERED, [number])) {
      const isFirst =
        first === null ||
        (await this.one<{ found: boolean }>(sql.hasRowsBelow(part.name, { ...part, lower: first }))).found;
      parts.push({ ...part, number, lower: isFirst ? null : first, upper });
    }
    return { number, lower: first, upper, parts };
  }

  /** Lists which of the names are tables. */
  async listTables(names: readonly string[]): Promise<{ name: string; attached: boolean }[]> {
    return this.run(sql.LIST_TABLES, [names]);
  }

  /** @throws LocksNotFree */
  async drop(names: readonly string[]): Promise<void> {
    await withBriefLock(this.run, names.join(', '), () => this.run(sql.drop(names)));
  }

  /** Drops unattached tables that an interrupted restore left. @throws LocksNotFree */
  async dropUnattached(names: readonly string[]): Promise<void> {
    await withBriefLock(this.run, await this.locked(names), () => this.run(sql.drop(names)));
  }

  /** Creates an empty table for each part, like the newest partition of its table, with a check of the part's range. */
  async make(parts: readonly (sql.Range & { table: string; name: string })[]): Promise<void> {
    const newest = await this.newestParts();
    for (const { table, name, ...range } of parts)
      await this.run(sql.likePart(name, present(newest.get(table), 'it is partitioned').name, range));
  }

  /** Adds the constraints and settings of a partition to tables from {@link make}, and attaches them. @throws LocksNotFree */
  async attach(number: number, parts: readonly (sql.Range & { table: string; name: string })[]): Promise<void> {
    const newest = await this.newestParts();
    const [{ lower } = { lower: null }] = parts;
    /** Whether a part has the same range as the partition of `orders`. Otherwise it has rows of several such partitions. */
    const isOwn = (part: sql.Range): boolean => part.lower === lower;
    const copyRules = async (part: sql.Range & { table: string; name: string }): Promise<void> => {
      const like = present(newest.get(part.table), 'it is partitioned');
      const values = [like.name, part.name, `_p${like.number}`, `_p${number}`, isOwn(part)];
      await this.runWritten(sql.WRITE_COPIES, values);
    };
    for (const part of parts.filter(isOwn)) await copyRules(part);
    const names = parts.map(({ name }) => name);
    const locked = await this.locked(names);
    await withBriefLock(this.run, locked, async () => {
      // The foreign keys of these parts refer to whole tables, which the service uses. So adding the keys needs locks.
      for (const part of parts.filter((each) => !isOwn(each))) await copyRules(part);
      for (const { table, name } of parts) await this.runWritten(sql.WRITE_PARENT_KEYS, [table, name]);
    });
    await this.runWritten(sql.WRITE_VALIDATIONS, [names]);
    await withBriefLock(this.run, locked, async () => {
      await this.run(parts.map(({ table, name, ...range }) => sql.attach(table, name, range)).join(';\n'));
      await this.setState(number, 'attached');
    });
    for (const name of names) await this.run(`ANALYZE ${name}`);
  }

  /** Removes stored references of orders, in batches. */
  forgetReferences(range: Pick<OrdersPartition, 'lower' | 'upper'>): Promise<void> {
    return this.removeInBatches(kept.FORGET_REFERENCES, range);
  }

  /** Removes stored purchases, in batches. */
  forgetPurchases(range: Pick<OrdersPartition, 'lower' | 'upper'>): Promise<void> {
    return this.removeInBatches(kept.FORGET_PURCHASES, range);
  }

  /**
   * Removes the reference trigger, and validates the foreign keys to the tables of orders. Call it only while no partition is
   * archived. @throws LocksNotFree
   */
  async endArchive(): Promise<void> {
    await withBriefLock(this.run, 'orders', () => this.run(sql.DROP_REFERENCE_TRIGGER));
    await this.runWritten(sql.WRITE_OUTER_VALIDATIONS);
  }

  /** Marks a partition as dropped, in the transaction that writes the audit log. */
  async setDropped(tx: Transaction, number: number): Promise<void> {
    await tx.query(...sql.SET_DROPPED.with({ number }));
  }

  /** Removes the row of a restored partition. */
  async forget(tx: Transaction, number: number): Promise<void> {
    await tx.query(...sql.FORGET.with({ number }));
  }

  private async removeInBatches(
    text: string,
    { lower, upper }: Pick<OrdersPartition, 'lower' | 'upper'>,
  ): Promise<void> {
    for (;;) {
      const removed = await this.run(text, [lower ?? '0', upper, BATCH_ROWS]);
      if (removed.length < BATCH_ROWS) return;
    }
  }

  private async inBatches(
    orders: string,
    texts: string[],
    onProgress: (done: number) => unknown = () => undefined,
  ): Promise<void> {
    let after = '0';
    for (let done = 0; ; done += BATCH_ROWS) {
      await onProgress(done);
      const { id: through } = await this.one<{ id: string | null }>(kept.endOfOrders(orders), [after, BATCH_ROWS]);
      if (through === null) return;
      for (const text of texts) await this.run(text, [after, through]);
      after = through;
    }
  }

  private async newestParts(): Promise<Map<string, sql.Part>> {
    return new Map((await this.run<sql.Part>(sql.LIST_PARTS)).map((part) => [part.table, part]));
  }

  private async setState(number: number, state: ArchiveState): Promise<void> {
    await this.run(sql.SET_STATE, [number, state]);
  }

  private async locked(others: readonly string[] = []): Promise<string> {
    return (await this.one<{ names: string }>(sql.LIST_TABLES_TO_LOCK, [others])).names;
  }

  private async runWritten(text: string, values?: unknown[]): Promise<void> {
    for (const { statement } of await this.run<Statement>(text, values)) await this.run(statement);
  }

  private async one<Row extends object>(text: string, values?: unknown[]): Promise<Row> {
    return present((await this.run<Row>(text, values))[0], 'it has a row');
  }
}

const nameOf = (parts: readonly { table: string; name: string }[], table: string): string =>
  present(
    parts.find((part) => part.table === table),
    'the tables of orders are partitioned together',
  ).name;
