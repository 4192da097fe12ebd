import type { PartitionedTable, TableGroup } from './table-groups.js';
import {
  LIST_TABLES_TO_LOCK,
  WRITE_OUTER_KEYS,
  LIST_PARTITIONS,
  WRITE_PARTS,
  LIST_WHOLE,
  nextId,
  type Partition,
  type WrittenParts,
  WRITE_COPIES,
  WRITE_OUTER_PARENTS,
  WRITE_OUTER_VALIDATIONS,
  WRITE_VALIDATIONS,
  type WrittenStatement,
} from './partitions.sql.js';
import { rangeName, type Execute } from './runs.js';

/**
 * A unique index of references holds within each partition only. This trigger refuses a reference that another partition has.
 * It locks the merchant's wallet, as placing an order does: if two orders with one reference arrive together, the second one
 * waits and then sees the first one.
 */
const REFUSE_REPEATED_REFERENCES = `
  CREATE OR REPLACE FUNCTION refuse_repeated_reference() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    repeated text;
  BEGIN
    PERFORM FROM wallets WHERE merchant_id IN (SELECT merchant_id FROM placed) ORDER BY merchant_id FOR NO KEY UPDATE;
    SELECT placed.reference_id INTO repeated FROM placed CROSS JOIN LATERAL (
      SELECT FROM orders
      WHERE merchant_id = placed.merchant_id AND reference_id BETWEEN placed.reference_id AND placed.reference_id
        AND id <> placed.id
      ORDER BY reference_id LIMIT 1) other LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'the reference % is that of another order', repeated
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_orders_merchant_reference';
    END IF;
    RETURN NULL;
  END $$`;

const WATCH_REFERENCES = `
  CREATE TRIGGER tg_orders_repeated_reference AFTER INSERT ON orders REFERENCING NEW TABLE AS placed
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_repeated_reference()`;

/**
 * The same for transfers. An order has at most one hold, one spend and one refund. At most one credit or debit of a
 * merchant has a given reference. The check of references runs only for credits and debits. They are few, and no
 * statement inserts them together with movements of orders.
 */
const REFUSE_REPEATED_TRANSFERS = `
  CREATE OR REPLACE FUNCTION refuse_repeated_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    repeated record;
  BEGIN
    PERFORM FROM wallets WHERE merchant_id IN (SELECT merchant_id FROM moved) ORDER BY merchant_id FOR NO KEY UPDATE;
    SELECT moved.order_id, moved.kind INTO repeated FROM moved CROSS JOIN LATERAL (
      SELECT FROM transfers
      WHERE order_id = moved.order_id AND kind BETWEEN moved.kind AND moved.kind AND id <> moved.id
      ORDER BY kind LIMIT 1) other LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'order % has another movement of the kind %', repeated.order_id, repeated.kind
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_transfers_order_kind';
    END IF;
    PERFORM FROM moved WHERE reference IS NOT NULL;
    IF FOUND THEN
      SELECT moved.reference INTO repeated FROM moved CROSS JOIN LATERAL (
        SELECT FROM transfers
        WHERE merchant_id = moved.merchant_id AND reference BETWEEN moved.reference AND moved.reference AND id <> moved.id
        ORDER BY reference LIMIT 1) other LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'the reference % is that of another movement', repeated.reference
          USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_transfers_reference';
      END IF;
    END IF;
    RETURN NULL;
  END $$`;

const WATCH_TRANSFERS = `
  CREATE TRIGGER tg_transfers_repeated AFTER INSERT ON transfers REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_repeated_transfer()`;

/** Triggers that keep values unique over all partitions of a group. Unique indexes do so only within one partition. */
const WATCHES: Record<TableGroup['name'], readonly string[]> = {
  orders: [REFUSE_REPEATED_REFERENCES, WATCH_REFERENCES],
  transfers: [REFUSE_REPEATED_TRANSFERS, WATCH_TRANSFERS],
};

export type { Partition } from './partitions.sql.js';

/** A partition's range, the tables that lack the partition, and the number of their newest partition. */
interface MissingPartitions {
  tables: PartitionedTable[];
  newest: number;
  range: Partition;
}

/** The partitions of a group of tables. All tables have the same boundaries: ids of the first table. */
export class PartitionsRepository {
  private readonly first: string;
  private readonly names: readonly string[];

  constructor(
    private readonly execute: Execute,
    private readonly group: TableGroup,
  ) {
    this.first = group.tables[0].name;
    this.names = group.tables.map(({ name }) => name);
  }

  async isPartitioned(): Promise<boolean> {
    return (await this.execute(LIST_WHOLE, [[this.first]])).length === 0;
  }

  /** Lists tables of the group that are not partitioned. */
  async listWhole(): Promise<PartitionedTable[]> {
    const whole = await this.execute<{ name: string }>(LIST_WHOLE, [this.names]);
    return this.group.tables.filter((table) => whole.some(({ name }) => name === table.name));
  }

  /** Returns the id of the table's next row: exact only while the table is locked. */
  async nextId(table = this.first): Promise<bigint> {
    return BigInt((await this.one<{ next: string }>(nextId(table))).next);
  }

  /** The names of the tables that a change of the partitions must lock, as a list in SQL. */
  async namesToLock(): Promise<string> {
    return (await this.one<{ names: string }>(LIST_TABLES_TO_LOCK, [this.names, this.names])).names;
  }

  /** Adds the constraint that ids are below `upper`, checked for later rows only. Needs the tables' locks. */
  async addRange(tables: readonly PartitionedTable[], upper: string): Promise<void> {
    for (const { name, key } of tables)
      await this.execute(`ALTER TABLE ${name} ADD CONSTRAINT ${rangeName(name)} CHECK (${key} < ${upper}) NOT VALID`);
  }

  /** Drops the constraint of {@link addRange}: otherwise inserts would fail once ids reach `upper`. Needs the tables' locks. */
  async dropRange(tables: readonly PartitionedTable[]): Promise<void> {
    for (const { name } of tables)
      await this.execute(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${rangeName(name)}`);
  }

  /** Validates constraints while writers go on. */
  validate(tables: readonly PartitionedTable[]): Promise<void> {
    return this.runWritten(WRITE_VALIDATIONS, [tables.map(({ name }) => name)]);
  }

  /** Makes existing tables the first partitions of new tables. Reads no row. Needs the locks of all tables. */
  async switch(tables: readonly PartitionedTable[], { number, upper }: Partition): Promise<void> {
    const names = tables.map(({ name }) => name);
    const keys = await this.execute<{ dropped: string; added: string[] }>(WRITE_OUTER_KEYS, [names, this.names]);
    // Writes the statements of all tables before it renames the first, because renaming changes what names refer to.
    const statements: string[] = [];
    for (const table of tables) statements.push(...(await this.writeSwitch(table, `_p${number}`, upper)));
    await this.runTogether([
      ...keys.map(({ dropped }) => dropped),
      ...statements,
      ...keys.flatMap(({ added }) => added),
      ...(names.includes(this.first) ? WATCHES[this.group.name] : []),
    ]);
  }

  /** Validates, for the existing rows, the foreign keys of other tables that refer to the group. Writers go on meanwhile. */
  async validateOuterKeys(): Promise<void> {
    await this.runWritten(WRITE_OUTER_VALIDATIONS, [this.names, this.names]);
  }

  /** Whether partitions of other tables have foreign keys that their parent tables lack. */
  async areOuterKeysMissing(): Promise<boolean> {
    return (await this.execute(WRITE_OUTER_PARENTS, [this.names, this.names])).length > 0;
  }

  /** Adds the missing foreign keys to the parent tables. Reads no row. Needs the locks of all tables. */
  async addOuterKeys(): Promise<void> {
    await this.runWritten(WRITE_OUTER_PARENTS, [this.names, this.names]);
  }

  /** Autovacuum never analyzes a partitioned table as a whole. */
  async analyze(): Promise<void> {
    for (const name of this.names) await this.execute(`ANALYZE ${name}`);
  }

  listPartitions(table = this.first): Promise<Partition[]> {
    return this.execute<Partition>(LIST_PARTITIONS, [table]);
  }

  /**
   * Lists the missing partitions. The first table must have a partition ahead of its ids, and the other tables must have the
   * same partitions as the first. A table lacks the latest partition if an older version of the service, which did not
   * know the table, created that partition for the others.
   * @param width how many ids the second partition spans. Each later partition spans as many as the one before it.
   */
  async listMissing(width?: bigint): Promise<MissingPartitions[]> {
    const ranges = await this.listPartitions();
    const newest = ranges.at(-1);
    if (!newest) return [];
    if ((await this.nextId()) >= BigInt(newest.lower ?? 0)) ranges.push(rangeAfter(newest, width));
    const whole = new Set((await this.listWhole()).map(({ name }) => name));
    const missing = new Map<string, MissingPartitions>();
    for (const table of this.group.tables) {
      if (whole.has(table.name)) continue;
      let last = (await this.listPartitions(table.name)).at(-1)?.number ?? 0;
      for (const range of ranges.filter(({ number }) => number > last)) {
        const key = `${last} ${range.number}`;
        const each = missing.get(key) ?? { tables: [], newest: last, range };
        each.tables.push(table);
        missing.set(key, each);
        last = range.number;
      }
    }
    return [...missing.values()].sort((one, other) => one.range.number - other.range.number);
  }

  /** Creates the missing partitions, each like the one before it. Needs the locks of all tables. */
  async addMissing(missing: readonly MissingPartitions[]): Promise<void> {
    for (const each of missing) await this.add(each);
  }

  private async add({ tables, newest, range: { number, lower, upper } }: MissingPartitions): Promise<void> {
    await this.runTogether(
      tables.map(
        ({ name }) =>
          `CREATE TABLE ${name}_p${number} (LIKE ${name}_p${newest} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)`,
      ),
    );
    const rules: string[] = [];
    for (const { name } of tables) {
      const values = [name, String(newest), String(number), this.names];
      rules.push(...(await this.execute<WrittenStatement>(WRITE_COPIES, values)).map(({ statement }) => statement));
    }
    const attached = tables.map(
      ({ name }) => `ALTER TABLE ${name} ATTACH PARTITION ${name}_p${number} FOR VALUES FROM (${lower}) TO (${upper})`,
    );
    await this.runTogether([...rules, ...attached]);
  }

  private async writeSwitch(table: PartitionedTable, suffix: string, upper: string): Promise<string[]> {
    const { name, key, isNumbered } = table;
    const values = [name, suffix, key, isNumbered ? 'id' : null, this.names];
    const parts = await this.one<WrittenParts>(WRITE_PARTS, values);
    const next = isNumbered ? await this.nextId(name) : null;
    return [...makePartitioned(table, name + suffix, parts, next), ...attachFirst(name, name + suffix, parts, upper)];
  }

  /** Sends all statements in one round trip, because other transactions wait for the locks. */
  private async runTogether(statements: string[]): Promise<void> {
    await this.execute(statements.join(';\n'));
  }

  private async runWritten(text: string, values?: unknown[]): Promise<void> {
    for (const { statement } of await this.execute<WrittenStatement>(text, values)) await this.execute(statement);
  }

  private async one<Row extends object>(text: string, values?: unknown[]): Promise<Row> {
    const [row] = await this.execute<Row>(text, values);
    if (!row) throw new Error(`no row: ${text}`);
    return row;
  }
}

function rangeAfter({ number, lower, upper }: Partition, width?: bigint): Partition {
  const size = lower === null && width !== undefined ? width : BigInt(upper) - BigInt(lower ?? 0);
  return { number: number + 1, lower: upper, upper: String(BigInt(upper) + size) };
}

/** Renames the table, and creates a partitioned table with the old name and constraints, still without partitions. */
function makePartitioned(
  { name, key, isNumbered }: PartitionedTable,
  first: string,
  parts: WrittenParts,
  next: bigint | null,
): string[] {
  return [
    `ALTER TABLE ${name} RENAME TO ${first}`,
    ...(isNumbered ? [`ALTER TABLE ${first} ALTER id DROP IDENTITY`] : []),
    `CREATE TABLE ${name} (LIKE ${first} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (${key})`,
    // Before PostgreSQL 17, partitions do not inherit an identity.
    ...(isNumbered
      ? [
          `CREATE SEQUENCE ${name}_id_seq START ${next} OWNED BY ${name}.id`,
          `ALTER TABLE ${name} ALTER id SET DEFAULT nextval('${name}_id_seq')`,
        ]
      : []),
    `ALTER TABLE ${name} DROP CONSTRAINT ${rangeName(name)}`,
    ...parts.renamed,
    ...parts.indexes,
    ...parts.keys,
  ];
}

/** Attaches the old table with its own indexes and keys, so that PostgreSQL creates none of them again. */
function attachFirst(table: string, first: string, parts: WrittenParts, upper: string): string[] {
  return [
    ...parts.dropped,
    `ALTER TABLE ${table} ATTACH PARTITION ${first} FOR VALUES FROM (MINVALUE) TO (${upper})`,
    ...parts.triggers,
    ...parts.rights,
    `ALTER TABLE ${first} DROP CONSTRAINT ${rangeName(table)}`,
  ];
}
