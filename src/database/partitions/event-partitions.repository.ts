import type { Execute } from './runs.js';

interface Defined {
  name: string;
  /**
   * The statement that creates this object again, on the new table that has taken the old table's name. In `referring`, the
   * statement that drops the foreign key.
   */
  definition: string;
}

/**
 * Statements that create a table's indexes, foreign keys, triggers and rights again, and statements that drop the foreign keys of
 * other tables to it.
 */
interface Definitions {
  /** `isShared`: the index covers all partitions. A unique index can do so only if it contains the partition key. */
  indexes: (Defined & { isShared: boolean })[];
  foreignKeys: Defined[];
  triggers: Defined[];
  /** The rights of other roles, and then the owner. */
  rights: Defined[];
  /** The foreign keys of other tables to this one. */
  referring: Defined[];
}

/** @param table must not be partitioned yet. */
export async function definitionsOf(execute: Execute, table: string): Promise<Definitions> {
  const of = `'${table}'::regclass`;
  return {
    indexes: await execute(`
      SELECT relname AS name, NOT indisunique OR c.contype = 'p' AS "isShared",
             CASE WHEN c.contype = 'p' THEN format('ALTER TABLE ${table} ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(c.oid))
                  ELSE pg_get_indexdef(indexrelid) END AS definition
      FROM pg_index JOIN pg_class i ON i.oid = indexrelid LEFT JOIN pg_constraint c ON conindid = indexrelid AND conrelid = indrelid
      WHERE indrelid = ${of} ORDER BY 1`),
    foreignKeys: await execute(`
      SELECT conname AS name, format('ALTER TABLE ${table} ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS definition
      FROM pg_constraint WHERE contype = 'f' AND conrelid = ${of} AND conparentid = 0 ORDER BY 1`),
    triggers: await execute(`
      SELECT tgname AS name, pg_get_triggerdef(oid) AS definition FROM pg_trigger
      WHERE tgrelid = ${of} AND NOT tgisinternal ORDER BY 1`),
    rights: await execute(`
      SELECT privilege_type AS name,
             format('GRANT %s ON ${table} TO %s', privilege_type, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
               || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS definition, 1 AS turn
      FROM pg_class, aclexplode(relacl) WHERE oid = ${of} AND grantee <> relowner
      UNION ALL
      SELECT 'owner', format('ALTER TABLE ${table} OWNER TO %s', relowner::regrole), 2 FROM pg_class WHERE oid = ${of}
      ORDER BY turn, definition`),
    referring: await execute(`
      SELECT conname AS name, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS definition
      FROM pg_constraint WHERE contype = 'f' AND confrelid = ${of} AND conparentid = 0 ORDER BY 1`),
  };
}
