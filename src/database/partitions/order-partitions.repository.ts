import {
  FIND_LOCKED,
  FIND_OUTER_KEYS,
  FIND_PARTITIONS,
  FIND_PARTS,
  IS_PARTITIONED,
  NEXT_ID,
  rangeName,
  REFUSE_REPEATED,
  TABLES,
  WATCH_REFERENCES,
  WRITE_LIKENESS,
  WRITE_OUTER_PARENTS,
  WRITE_OUTER_VALIDATIONS,
  WRITE_VALIDATIONS,
  type Partition,
  type Parts,
  type Written,
} from './order-partitions.sql.js';
import type { Run } from './runs.js';

export type { Partition } from './order-partitions.sql.js';

const FIRST = '_p1';

/** The partitions of orders, items, units and attempts: one set of boundaries, the ids of orders. */
export class OrderPartitionsRepository {
  readonly names: readonly string[] = TABLES.map(({ name }) => name);

  constructor(private readonly run: Run) {}

  async isPartitioned(): Promise<boolean> {
    return (await this.one<{ partitioned: boolean }>(IS_PARTITIONED)).partitioned;
  }

  /** Exact while the tables are locked. */
  async nextId(): Promise<bigint> {
    return BigInt((await this.one<{ next: string }>(NEXT_ID)).next);
  }

  /** The tables that are locked for the switch, and those of the orders alone. */
  async findTables(): Promise<{ all: string; own: string }> {
    const { names } = await this.one<{ names: string }>(FIND_LOCKED);
    return { all: names, own: TABLES.map(({ name }) => name).join(', ') };
  }

  /** Says that all orders have lower ids, for later ones only. Needs the tables' locks. */
  async addRange(upper: bigint): Promise<void> {
    for (const { name, key } of TABLES)
      await this.run(
        `ALTER TABLE ${name} ADD CONSTRAINT ${rangeName(name)} CHECK (${key} < ${upper}) NOT VALID`,
      );
  }

  /** Takes that back: else no order could be placed once ids get there. Needs the tables' locks. */
  async dropRange(): Promise<void> {
    for (const { name } of TABLES)
      await this.run(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${rangeName(name)}`);
  }

  /** Reads the tables beside those who write. */
  validate(): Promise<void> {
    return this.runWritten(WRITE_VALIDATIONS);
  }

  /** Makes the tables, as they are, the first partitions of new ones. Reads no row. Needs the locks of all tables. */
  async switch(upper: bigint): Promise<void> {
    const outer = await this.run<{ dropped: string; added: string[] }>(FIND_OUTER_KEYS);
    const next = await this.nextId();
    // Of all tables before the first is renamed: what a name stands for changes on the way.
    const tables: { name: string; key: string; parts: Parts }[] = [];
    for (const { name, key } of TABLES)
      tables.push({ name, key, parts: await this.one<Parts>(FIND_PARTS, [name, FIRST, key]) });
    await this.runTogether([
      ...outer.map(({ dropped }) => dropped),
      ...tables.flatMap(({ name, key, parts }) => [
        ...makePartitioned(name, key, parts, next),
        ...attachFirst(name, parts, upper),
      ]),
      ...outer.flatMap(({ added }) => added),
      REFUSE_REPEATED,
      WATCH_REFERENCES,
    ]);
  }

  /** Tries the keys of other tables on older rows, beside those who write, and gives them to partitioned tables. */
  async validateOuterKeys(): Promise<void> {
    await this.runWritten(WRITE_OUTER_VALIDATIONS);
    await this.runWritten(WRITE_OUTER_PARENTS);
  }

  /** Without it PostgreSQL knows nothing of the values in all partitions together. */
  async analyze(): Promise<void> {
    for (const { name } of TABLES) await this.run(`ANALYZE ${name}`);
  }

  findPartitions(): Promise<Partition[]> {
    return this.run<Partition>(FIND_PARTITIONS);
  }

  /** Adds a partition behind the newest one, made as that one is. Needs the locks of all tables. */
  async add(newest: Partition, size: bigint): Promise<Partition> {
    const number = newest.number + 1;
    const [lower, upper] = [newest.upper, String(BigInt(newest.upper) + size)];
    const [from, to] = [String(newest.number), String(number)];
    await this.runTogether(
      TABLES.map(
        ({ name }) =>
          `CREATE TABLE ${name}_p${to} (LIKE ${name}_p${from} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)`,
      ),
    );
    const rules: string[] = [];
    for (const { name } of TABLES) {
      const written = await this.run<Written>(WRITE_LIKENESS, [name, from, to]);
      rules.push(...written.map(({ statement }) => statement));
    }
    const attached = TABLES.map(
      ({ name }) =>
        `ALTER TABLE ${name} ATTACH PARTITION ${name}_p${to} FOR VALUES FROM (${lower}) TO (${upper})`,
    );
    await this.runTogether([...rules, ...attached]);
    return { number, lower, upper };
  }

  /** In one round trip, because others wait. */
  private async runTogether(statements: string[]): Promise<void> {
    await this.run(statements.join(';\n'));
  }

  private async runWritten(text: string, values?: unknown[]): Promise<void> {
    for (const { statement } of await this.run<Written>(text, values)) await this.run(statement);
  }

  private async one<Row extends object>(text: string, values?: unknown[]): Promise<Row> {
    const [row] = await this.run<Row>(text, values);
    if (!row) throw new Error(`no row: ${text}`);
    return row;
  }
}

/** The table as it is gets another name, and a partitioned one without partitions its name and its rules. */
function makePartitioned(table: string, key: string, parts: Parts, next: bigint): string[] {
  const first = `${table}${FIRST}`;
  const isNumbered = key === 'id';
  return [
    `ALTER TABLE ${table} RENAME TO ${first}`,
    ...(isNumbered ? [`ALTER TABLE ${first} ALTER ${key} DROP IDENTITY`] : []),
    `CREATE TABLE ${table} (LIKE ${first} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (${key})`,
    // Before PostgreSQL 17 a partitioned table has no identity.
    ...(isNumbered
      ? [
          `CREATE SEQUENCE ${table}_id_seq START ${next} OWNED BY ${table}.${key}`,
          `ALTER TABLE ${table} ALTER ${key} SET DEFAULT nextval('${table}_id_seq')`,
        ]
      : []),
    `ALTER TABLE ${table} DROP CONSTRAINT ${rangeName(table)}`,
    ...parts.renamed,
    ...parts.indexes,
    ...parts.keys,
  ];
}

/** With what it has already: PostgreSQL makes nothing again. */
function attachFirst(table: string, parts: Parts, upper: bigint): string[] {
  const first = `${table}${FIRST}`;
  return [
    ...parts.dropped,
    `ALTER TABLE ${table} ATTACH PARTITION ${first} FOR VALUES FROM (MINVALUE) TO (${upper})`,
    ...parts.triggers,
    ...parts.rights,
    `ALTER TABLE ${first} DROP CONSTRAINT ${rangeName(table)}`,
  ];
}
