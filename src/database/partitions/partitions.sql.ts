import { WAS_ANY_DETACHED } from './archived.js';

/** A statement that a query has written. The caller executes it. */
export interface WrittenStatement {
  statement: string;
}

/** Lists which of some tables are not partitioned. $1 the tables. */
export const LIST_WHOLE = `SELECT relname AS name FROM pg_class WHERE oid = ANY($1::text[]::regclass[]) AND relkind <> 'p'`;

/** The id that the table's next row gets. Exact while the table is locked. */
export const nextId = (table: string): string =>
  `SELECT (CASE WHEN is_called THEN last_value + 1 ELSE last_value END)::text AS next FROM ${table}_id_seq`;

/** Writes statements that validate constraints added `NOT VALID`: a table with one can't become a partition. $1 the tables. */
export const WRITE_VALIDATIONS = `
  SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', conrelid::regclass, conname) AS statement
  FROM pg_constraint WHERE conrelid = ANY($1::text[]::regclass[]) AND NOT convalidated AND conparentid = 0
  ORDER BY conrelid, conname`;

/**
 * Foreign keys that refer to tables of a group from outside the group and its partitions. $1 the tables that they refer to,
 * $2 all tables of the group.
 */
const OUTER_KEYS = `
  SELECT c.oid, c.conname, c.conrelid, pg_get_constraintdef(c.oid) AS definition FROM pg_constraint c
  WHERE c.contype = 'f' AND c.conparentid = 0 AND c.confrelid = ANY($1::text[]::regclass[])
    AND c.conrelid <> ALL($2::text[]::regclass[])
    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.conrelid AND inhparent = ANY($2::text[]::regclass[]))`;

/**
 * Lists the tables that partitioning locks: the tables of the group, and tables with a foreign key to or from them. $1 and $2 the
 * tables of the group.
 */
export const LIST_TABLES_TO_LOCK = `
  SELECT string_agg(DISTINCT name::text, ', ') AS names FROM (
    SELECT unnest($1::text[]::regclass[]) AS name
    UNION SELECT conrelid::regclass FROM (${OUTER_KEYS}) outer_keys
    UNION SELECT confrelid::regclass FROM pg_constraint
          WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY($1::text[]::regclass[])) touched`;

/**
 * Writes statements that drop the foreign keys of other tables, and add them again so that they refer to the
 * partitioned tables. If the other table is itself partitioned, its partitions get the keys first, because before
 * PostgreSQL 18 a partitioned table cannot have a `NOT VALID` key. $1 the tables that this run partitions, $2 the
 * tables of the group.
 */
export const WRITE_OUTER_KEYS = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS dropped,
         ARRAY(SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', leaf.relid, conname,
                             regexp_replace(definition, ' NOT VALID$', ''))
               FROM pg_partition_tree(conrelid) leaf WHERE leaf.isleaf
               UNION ALL
               SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', conrelid::regclass, conname,
                             regexp_replace(definition, ' NOT VALID$', ''))
               WHERE NOT EXISTS (SELECT FROM pg_partition_tree(conrelid))) AS added
  FROM (${OUTER_KEYS}) outer_keys ORDER BY conrelid, conname`;

/**
 * Writes statements that validate the keys of {@link WRITE_OUTER_KEYS}, but none if an archived partition was
 * detached ({@link WAS_ANY_DETACHED}): then rows may refer to orders that the database does not have. $1 and $2 the
 * tables of the group.
 */
export const WRITE_OUTER_VALIDATIONS = `
  SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', conrelid::regclass, conname) AS statement
  FROM (${OUTER_KEYS}) k JOIN pg_constraint c USING (oid, conname, conrelid)
  WHERE NOT c.convalidated AND NOT ${WAS_ANY_DETACHED} ORDER BY conrelid, conname`;

/**
 * Writes statements that add the keys of {@link WRITE_OUTER_KEYS} to partitioned tables outside the group. The partitions
 * have the keys already, so PostgreSQL reads no row. None if an archived partition was detached. $1 and $2 the tables of the group.
 */
export const WRITE_OUTER_PARENTS = `
  SELECT DISTINCT format('ALTER TABLE %s ADD CONSTRAINT %I %s', inhparent::regclass, conname, definition) AS statement
  FROM (${OUTER_KEYS}) k JOIN pg_inherits ON inhrelid = conrelid WHERE NOT ${WAS_ANY_DETACHED}`;

/** The indexes that the partitioned table gets: all that are not unique, and the primary key if it contains the partition key. */
const SHARED_INDEXES = `
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  LEFT JOIN pg_constraint c ON c.conindid = indexrelid AND c.contype = 'p'
  WHERE indrelid = $1::text::regclass AND (NOT indisunique OR indisprimary AND (
    SELECT attnum FROM pg_attribute WHERE attrelid = indrelid AND attname = $3::text) = ANY(indkey::int2[]))`;

/**
 * Writes statements that give the partitioned table the indexes, triggers and rights of the old table, and its foreign keys to
 * tables outside the group. The old table, now its first partition, has its indexes renamed and its row triggers dropped. $1 the table, $2 the suffix of its first partition, $3 its partition key, $4 the column whose values
 * come from a sequence, if any, $5 the tables of the group.
 */
export const WRITE_PARTS = `
  SELECT
    ARRAY(SELECT format('ALTER INDEX %s RENAME TO %I', indexrelid::regclass, relname || $2::text) ${SHARED_INDEXES}) AS renamed,
    ARRAY(SELECT CASE WHEN indisprimary
                      THEN format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, relname, pg_get_constraintdef(c.oid))
                      ELSE pg_get_indexdef(indexrelid) END ${SHARED_INDEXES}) AS indexes,
    ARRAY(SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, conname, pg_get_constraintdef(oid))
          FROM pg_constraint
          WHERE conrelid = $1::text::regclass AND contype = 'f' AND conparentid = 0
            AND confrelid <> ALL($5::text[]::regclass[])) AS keys,
    ARRAY(SELECT format('DROP TRIGGER %I ON %I', tgname, $1::text || $2::text) FROM pg_trigger
          WHERE tgrelid = $1::text::regclass AND NOT tgisinternal AND tgtype & 1 = 1) AS dropped,
    ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger
          WHERE tgrelid = $1::text::regclass AND NOT tgisinternal ORDER BY tgname) AS triggers,
    ARRAY(SELECT format('GRANT %s ON %I TO %s', privilege_type, $1::text,
                        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
                 || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
          FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = $1::text::regclass AND grantee <> relowner)
    || ARRAY(SELECT format('ALTER TABLE %I OWNER TO %s', $1::text, relowner::regrole)
             FROM pg_class WHERE oid = $1::text::regclass)
    || ARRAY(SELECT DISTINCT format('GRANT USAGE ON SEQUENCE %s TO %s', sequence,
                                    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
             FROM pg_class, aclexplode(relacl), pg_get_serial_sequence($1::text, $4::text) AS sequence
             WHERE pg_class.oid = $1::text::regclass AND privilege_type = 'INSERT' AND sequence IS NOT NULL
               AND grantee <> relowner) AS rights`;

export interface WrittenParts {
  renamed: string[];
  indexes: string[];
  keys: string[];
  dropped: string[];
  triggers: string[];
  rights: string[];
}

/**
 * Lists a table's partitions, oldest first. The partition that was the whole table has no lower bound. $1 the table.
 */
export const LIST_PARTITIONS = `
  SELECT substring(relname FROM '\\d+$')::int AS number, nullif((bounds.ends)[1], 'MINVALUE') AS lower, (bounds.ends)[2] AS upper
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  CROSS JOIN LATERAL (
    SELECT regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \\(''?(\\w+)''?\\) TO \\(''?(\\d+)''?\\)') AS ends) bounds
  WHERE inhparent = $1::text::regclass
  ORDER BY (bounds.ends)[2]::bigint`;

export interface Partition {
  number: number;
  /** The first id; null in the partition that was the whole table, which has no lower bound. */
  lower: string | null;
  /** The first id after the partition. */
  upper: string;
}

/**
 * Writes statements that copy the newest partition's own foreign keys, statement triggers and settings to the next partition,
 * because a partition inherits only the keys of its table. The copied keys refer to the partitions of the next range, even if the keys of the newest
 * partition refer to whole tables. $1 the table, $2 and $3 the numbers of the newest partition and the next, $4 the tables of the
 * group.
 */
export const WRITE_COPIES = `
  WITH named AS (SELECT $1::text || '_p' || $2::text AS newest, $1::text || '_p' || $3::text AS next)
  SELECT format('ALTER TABLE %I SET (%s)', next, array_to_string(reloptions, ', ')) AS statement
  FROM named JOIN pg_class ON pg_class.oid = newest::regclass WHERE reloptions IS NOT NULL
  UNION ALL
  SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', next, conname,
                regexp_replace(pg_get_constraintdef(c.oid),
                               'REFERENCES (' || array_to_string($4::text[], '|') || ')(_p' || $2::text || ')?\\(',
                               'REFERENCES \\1_p' || $3::text || '('))
  FROM named JOIN pg_constraint c ON conrelid = newest::regclass WHERE contype = 'f' AND conparentid = 0
  UNION ALL
  SELECT regexp_replace(pg_get_triggerdef(t.oid), '_p' || $2::text || ' ', '_p' || $3::text || ' ')
  FROM named JOIN pg_trigger t ON tgrelid = newest::regclass WHERE NOT tgisinternal AND tgtype & 1 = 0`;
