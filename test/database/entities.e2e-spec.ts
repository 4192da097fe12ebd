import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';

const OF_THE_SERVICE = `relname NOT IN ('schema_migrations', 'typeorm_metadata') AND relnamespace = 'public'::regnamespace`;

const TABLES = `SELECT relname AS line FROM pg_class WHERE relkind = 'r' AND ${OF_THE_SERVICE} ORDER BY 1`;

const COLUMNS = `
  SELECT concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
                   attidentity, attgenerated, 'default ' || regexp_replace(pg_get_expr(adbin, adrelid), '^''(\\d+)''::.*', '\\1')) AS line
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relkind = 'r' AND attnum > 0 AND NOT attisdropped AND ${OF_THE_SERVICE} ORDER BY 1`;

/** Leaves out `NOT VALID`, which constraints of large tables may have. */
const CONSTRAINTS = `
  SELECT concat_ws(' ', relname, conname, replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID', '')) AS line
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid WHERE contype NOT IN ('n', 't') AND ${OF_THE_SERVICE} ORDER BY 1`;

const INDEXES = `
  SELECT regexp_replace(pg_get_indexdef(indexrelid), ' WITH \\(.*?\\)', '') AS line
  FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE ${OF_THE_SERVICE} ORDER BY 1`;

let databases: TestDatabase[];
/** A schema that the migrations made. */
let migrated: DataSource;
/** A schema that TypeORM made from the entities. */
let synchronized: DataSource;

beforeAll(async () => {
  const [ours, theirs] = await Promise.all([createTestDatabase(), createEmptyDatabase()]);
  databases = [ours, theirs];
  migrated = await new DataSource(dataSourceOptions(ours.url)).initialize();
  synchronized = await new DataSource(dataSourceOptions(theirs.url)).initialize();
  await synchronized.synchronize();
});

afterAll(async () => {
  await Promise.all([migrated.destroy(), synchronized.destroy()]);
  await Promise.all(databases.map((database) => database.drop()));
});

describe('the entities', () => {
  it('exist for every table', async () => {
    const tables = migrated.entityMetadatas.map(({ tableName }) => tableName).sort();
    expect(tables).toEqual(await lines(migrated, TABLES));
  });

  it('match the schema of the migrations: TypeORM finds nothing to change', async () => {
    const { upQueries } = await migrated.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  // TypeORM compares constraints by their names only.
  it.each([
    ['columns', COLUMNS],
    ['constraints', CONSTRAINTS],
  ])('make the same %s as the migrations, to the letter', async (_, query) => {
    expect(await lines(synchronized, query)).toEqual(await lines(migrated, query));
  });

  it('make only the indexes that the migrations make, to the letter', async () => {
    const made = await lines(synchronized, INDEXES);
    expect(await lines(migrated, INDEXES)).toEqual(expect.arrayContaining(made));
  });
});

async function lines(source: DataSource, query: string): Promise<string[]> {
  return (await source.query<{ line: string }[]>(query)).map(({ line }) => line);
}
