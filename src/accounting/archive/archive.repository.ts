import type { Readable, Writable } from 'node:stream';
import { briefly } from '../../database/partitions/briefly.js';
import type { Run } from '../../database/partitions/runs.js';
import type { ArchiveState } from '../audit/archived-partition.entity.js';
import { present } from '../../core/invariant.js';
import type { Transaction } from '../../database/database.js';
import * as sql from './archive.sql.js';
import * as kept from './kept-orders.sql.js';
import type { ArchiveConnection } from './archive-connections.service.js';

export type { Obstacles, Part, Range, StateRow } from './archive.sql.js';
type Statement = { statement: string };

/** The partitions of one range: of the orders first, and those of the tables that follow them. */
export interface Section {
  number: number;
  lower: string | null;
  upper: string;
  parts: sql.Part[];
}

/** So many orders are kept within a second or so. */
const PIECE = 5_000;

/** Partitions of the tables of orders on their way into files and back. */
export class ArchiveRepository {
  private readonly run: Run;

  constructor(private readonly link: ArchiveConnection) {
    this.run = link.run;
  }

  /** Those that are attached, the one of the lowest ids first; none where orders are not partitioned. */
  async findSections(): Promise<Section[]> {
    const parts = await this.run<sql.Part>(sql.FIND_PARTS);
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

  findEnds({ upper, parts }: Section): Promise<sql.Ends> {
    return this.one<sql.Ends>(sql.findEnds(nameOf(parts, 'orders'), upper));
  }

  /** @param days how long ago the last change of an order has to be. */
  async findObstacles({ lower, upper, parts }: Section, days: number): Promise<sql.Obstacles> {
    const [orders, units] = [nameOf(parts, 'orders'), nameOf(parts, 'order_units')];
    const text = sql.findObstacles(orders, units, { lower, upper, days });
    return this.one<sql.Obstacles>(text);
  }

  async count(name: string): Promise<number> {
    return Number((await this.one<{ rows: string }>(sql.countOf(name))).rows);
  }

  countMonths({ lower, upper, parts }: Section): Promise<{ month: string; orders: number }[]> {
    return this.run(sql.countMonths(nameOf(parts, 'orders'), { lower, upper }));
  }

  async findSuppliers({ parts }: Section): Promise<number[]> {
    const names = ['order_items', 'order_units', 'unit_attempts'].map((table) => nameOf(parts, table));
    return (await this.run<{ id: number }>(sql.findSuppliers(names))).map(({ id }) => id);
  }

  /** Tables that refer to the orders of a section and are no part of it, with the column that does. */
  findReferring({ parts }: Section): Promise<{ table: string; key: string }[]> {
    return this.run(sql.FIND_REFERRING, [parts.map(({ name }) => name)]);
  }

  /** @returns all of them, and those of the primary key. */
  async findColumns(table: string): Promise<{ columns: string[]; order: string[] }> {
    const found = await this.run<sql.CopiedColumn>(sql.FIND_COLUMNS, [table]);
    const inKey = found.filter(({ place }) => place !== null);
    return {
      columns: found.map(({ name }) => name),
      order: inKey.sort((one, other) => (one.place ?? 0) - (other.place ?? 0)).map(({ name }) => name),
    };
  }

  /** The rows of a partition, in the order of these columns. */
  readPart(name: string, columns: readonly string[], order: readonly string[]): Readable {
    return this.link.copyOut(sql.copyPart(name, columns, order));
  }

  /** The rows of another table that belong to a range of orders. */
  readBeside(table: string, columns: readonly string[], range: sql.Range): Readable {
    return this.link.copyOut(sql.copyBeside(table, columns, range));
  }

  /** Where rows of a table go. */
  writeRows(name: string, columns: readonly string[]): Writable {
    return this.link.copyIn(sql.copyIn(name, columns));
  }

  async findSchema(): Promise<string> {
    return (await this.one<{ name: string }>(sql.FIND_SCHEMA)).name;
  }

  async begin(
    { number, lower, upper }: Section,
    given: { directory: string; orders: number; months: object[]; suppliers: number[]; by: string },
  ): Promise<void> {
    const { directory, orders, months, suppliers, by } = given;
    await this.run(sql.BEGIN, [number, lower, upper, directory, orders, JSON.stringify(months), suppliers, by]);
  }

  async setVerified(number: number, manifestHash: string, bytes: number): Promise<void> {
    await this.run(sql.SET_VERIFIED, [number, manifestHash, bytes]);
  }

  /** Keeps what stays of a section's orders, as many as are not kept yet. */
  async keep({ parts }: Section, onProgress: (done: number) => unknown): Promise<void> {
    const orders = nameOf(parts, 'orders');
    const references = kept.keepReferences(orders, nameOf(parts, 'order_items'));
    const purchases = kept.keepPurchases(orders, nameOf(parts, 'order_units'), nameOf(parts, 'unit_attempts'));
    await this.inPieces(orders, [references, purchases], onProgress);
  }

  /** Keeps the names of their purchases as they are now. */
  async keepPurchases({ parts }: Pick<Section, 'parts'>): Promise<void> {
    const orders = nameOf(parts, 'orders');
    const [units, attempts] = [nameOf(parts, 'order_units'), nameOf(parts, 'unit_attempts')];
    await this.inPieces(orders, [kept.keepPurchases(orders, units, attempts)]);
  }

  /** How many orders are not kept just as they are. */
  async countUnkept(parts: readonly { table: string; name: string }[]): Promise<number> {
    const text = kept.countUnkept(nameOf(parts, 'orders'), nameOf(parts, 'order_items'));
    return Number((await this.one<{ rows: string }>(text)).rows);
  }

  /** Takes a section out of its tables. Nobody reads or writes these meanwhile. @throws LocksNotFree */
  async detach({ number, parts }: Section): Promise<void> {
    const names = parts.map(({ name }) => name);
    await briefly(this.run, await this.locked(), async () => {
      const keys = await this.run<{ dropped: string; added: string[] }>(sql.FIND_OUTER_KEYS, [names]);
      await this.run(
        [
          ...keys.map(({ dropped }) => dropped),
          ...parts.map(({ table, name }) => sql.detach(table, name)).reverse(),
          ...keys.flatMap(({ added }) => added),
          sql.WATCH_ARCHIVED,
        ].join(';\n'),
      );
      await this.runWritten(sql.WRITE_OWN_KEYS_DROPPED, [names]);
      await this.setState(number, 'detached');
    });
  }

  /** Which of some names are those of tables. */
  async findTables(names: readonly string[]): Promise<{ name: string; attached: boolean }[]> {
    return this.run(sql.FIND_TABLES, [names]);
  }

  /** @throws LocksNotFree */
  async drop(names: readonly string[]): Promise<void> {
    await briefly(this.run, names.join(', '), () => this.run(sql.drop(names)));
  }

  /** Drops what an interrupted restore left, of which nothing was attached. @throws LocksNotFree */
  async dropUnattached(names: readonly string[]): Promise<void> {
    await briefly(this.run, await this.locked(names), () => this.run(sql.drop(names)));
  }

  /** Makes empty tables, each like the newest partition of its own, which takes the rows of its range only. */
  async make(parts: readonly (sql.Range & { table: string; name: string })[]): Promise<void> {
    const newest = await this.newestParts();
    for (const { table, name, ...range } of parts)
      await this.run(sql.likePart(name, present(newest.get(table), 'it is partitioned').name, range));
  }

  /** Gives tables that were made so the rules of a partition, and attaches them. @throws LocksNotFree */
  async attach(number: number, parts: readonly (sql.Range & { table: string; name: string })[]): Promise<void> {
    const newest = await this.newestParts();
    const [{ lower } = { lower: null }] = parts;
    const isOwn = (part: sql.Range): boolean => part.lower === lower;
    const liken = async (part: sql.Range & { table: string; name: string }): Promise<void> => {
      const like = present(newest.get(part.table), 'it is partitioned');
      const values = [like.name, part.name, `_p${like.number}`, `_p${number}`, isOwn(part)];
      await this.runWritten(sql.WRITE_LIKENESS, values);
    };
    for (const part of parts.filter(isOwn)) await liken(part);
    const names = parts.map(({ name }) => name);
    const locked = await this.locked(names);
    await briefly(this.run, locked, async () => {
      // The keys of one that has rows of several ranges lead to tables that others use.
      for (const part of parts.filter((each) => !isOwn(each))) await liken(part);
      for (const { table, name } of parts) await this.runWritten(sql.WRITE_PARENT_KEYS, [table, name]);
    });
    await this.runWritten(sql.WRITE_VALIDATIONS, [names]);
    await briefly(this.run, locked, async () => {
      await this.run(parts.map(({ table, name, ...range }) => sql.attach(table, name, range)).join(';\n'));
      await this.setState(number, 'attached');
    });
    for (const name of names) await this.run(`ANALYZE ${name}`);
  }

  /** Removes references of orders, in pieces. */
  forgetReferences(range: Pick<Section, 'lower' | 'upper'>): Promise<void> {
    return this.removeInPieces(kept.FORGET_REFERENCES, range);
  }

  /** The same of the names of their purchases, which nobody else writes. */
  forgetPurchases(range: Pick<Section, 'lower' | 'upper'>): Promise<void> {
    return this.removeInPieces(kept.FORGET_PURCHASES, range);
  }

  /** Puts everything as it was before the first partition was archived: nothing is any more. @throws LocksNotFree */
  async endArchive(): Promise<void> {
    await briefly(this.run, 'orders', () => this.run(sql.FORGET_ARCHIVED));
    await this.runWritten(sql.WRITE_OUTER_VALIDATIONS);
  }

  /** With the record of what was done. */
  async setDropped(tx: Transaction, number: number): Promise<void> {
    await tx.query(...sql.SET_DROPPED.with({ number }));
  }

  /** The same of what is back. */
  async forget(tx: Transaction, number: number): Promise<void> {
    await tx.query(...sql.FORGET.with({ number }));
  }

  private async removeInPieces(text: string, { lower, upper }: Pick<Section, 'lower' | 'upper'>): Promise<void> {
    for (;;) {
      const removed = await this.run(text, [lower ?? '0', upper, PIECE]);
      if (removed.length < PIECE) return;
    }
  }

  private async inPieces(
    orders: string,
    texts: string[],
    onProgress: (done: number) => unknown = () => undefined,
  ): Promise<void> {
    let after = '0';
    for (let done = 0; ; done += PIECE) {
      await onProgress(done);
      const { id: through } = await this.one<{ id: string | null }>(kept.endOfOrders(orders), [after, PIECE]);
      if (through === null) return;
      for (const text of texts) await this.run(text, [after, through]);
      after = through;
    }
  }

  private async newestParts(): Promise<Map<string, sql.Part>> {
    return new Map((await this.run<sql.Part>(sql.FIND_PARTS)).map((part) => [part.table, part]));
  }

  private async setState(number: number, state: ArchiveState): Promise<void> {
    await this.run(sql.SET_STATE, [number, state]);
  }

  private async locked(others: readonly string[] = []): Promise<string> {
    return (await this.one<{ names: string }>(sql.FIND_LOCKED, [others])).names;
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
