import type { ArchiveState } from '../audit/archived-partition.entity.js';
import { statement } from '../../database/parameters.js';

/** The tables of orders, whose partitions are archived. A table stands before the tables that refer to it. */
const ORDER_TABLES = ['orders', 'order_items', 'order_units', 'unit_attempts', 'supplier_calls'];
const PARENTS = `ARRAY[${ORDER_TABLES.map((name) => `'${name}'`).join(', ')}]::regclass[]`;

/** A partition of one of these tables. */
export interface Part {
  table: string;
  /** The partition's name and the number in it. */
  name: string;
  number: number;
  /** The column with the id of the order. */
  key: string;
  /** The first id; null for the first partition, which has no lower bound. */
  lower: string | null;
  /** Exclusive. */
  upper: string;
}

/** Lists all partitions of the tables of orders, sorted by order ids. */
export const LIST_PARTS = `
  SELECT p.relname AS "table", c.relname AS name, substring(c.relname FROM '_p(\\d+)$')::int AS number, attname AS key,
         nullif(bounds.ends[1], 'MINVALUE') AS lower, bounds.ends[2] AS upper
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid JOIN pg_class p ON p.oid = inhparent
  JOIN pg_partitioned_table ON partrelid = inhparent JOIN pg_attribute ON attrelid = inhparent AND attnum = partattrs[0]
  CROSS JOIN LATERAL (
    SELECT regexp_match(pg_get_expr(c.relpartbound, inhrelid), 'FROM \\(''?(\\w+)''?\\) TO \\(''?(\\d+)''?\\)') AS ends) bounds
  WHERE inhparent = ANY(${PARENTS})
  ORDER BY bounds.ends[2]::bigint, array_position(${PARENTS}, inhparent::regclass)`;

/**
 * Lists tables that refer to the tables of orders, with the column of the order's id. Finds partitioned tables by this column,
 * because {@link WRITE_OUTER_KEYS} may have moved their keys to their partitions. $1: partitions to archive.
 */
export const LIST_REFERRING = `
  SELECT conrelid::regclass::text AS "table", attname AS key
  FROM pg_constraint JOIN pg_class c ON c.oid = conrelid JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
  WHERE contype = 'f' AND confrelid = ANY(${PARENTS}) AND relkind = 'r' AND NOT relispartition
    AND NOT conrelid = ANY($1::text[]::regclass[])
  UNION
  SELECT partrelid::regclass::text, attname FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid
  WHERE attname = 'order_id' AND NOT attisdropped AND NOT partrelid = ANY(${PARENTS}) ORDER BY 1`;

/** A column of a table, with its position in the primary key, if any. */
export interface CopiedColumn {
  name: string;
  place: number | null;
}

/** Lists the columns of a table, but no generated ones. $1: the table. */
export const LIST_COLUMNS = `
  SELECT attname AS name, array_position(indkey::int2[], attnum) AS place
  FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
  WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`;

/** Lists the tables to lock while partitions are attached or detached. $1: further tables to lock. */
export const LIST_TABLES_TO_LOCK = `
  SELECT string_agg(DISTINCT name::text, ', ') AS names FROM (
    SELECT unnest($1::text[]::regclass[]) AS name
    UNION SELECT inhparent::regclass FROM pg_inherits WHERE inhparent = ANY(${PARENTS})
    UNION SELECT conrelid::regclass FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND confrelid = ANY(${PARENTS})
    UNION SELECT confrelid::regclass FROM pg_constraint
          WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY(${PARENTS})) touched`;

/**
 * Writes statements that drop the foreign keys to the tables of orders: PostgreSQL does not detach a partition while rows refer
 * to it. Also writes statements that add the keys again afterwards, as NOT VALID. Before PostgreSQL 18, a partitioned table
 * cannot have a NOT VALID key, so each of its partitions gets the key. $1: the partitions to detach, whose own keys are not added
 * again.
 */
export const WRITE_OUTER_KEYS = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS dropped,
         CASE WHEN conrelid = ANY($1::text[]::regclass[]) THEN '{}'
              WHEN relkind = 'p' AND current_setting('server_version_num')::int < 180000
              THEN ARRAY(SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', leaf.relid, conname, definition)
                         FROM pg_partition_tree(conrelid) leaf WHERE leaf.isleaf)
              ELSE ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', conrelid::regclass, conname, definition)]
         END AS added
  FROM pg_constraint JOIN pg_class k ON k.oid = conrelid
  CROSS JOIN LATERAL (SELECT regexp_replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID$', '') AS definition) d
  WHERE contype = 'f' AND conparentid = 0 AND confrelid = ANY(${PARENTS}) ORDER BY conrelid, conname`;

/**
 * Writes statements that drop the foreign keys from detached partitions to other tables. With such a key, dropping a
 * partition would lock the table to which the key refers. $1: partitions.
 */
export const WRITE_OWN_KEYS_DROPPED = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement FROM pg_constraint
  WHERE contype = 'f' AND conrelid = ANY($1::text[]::regclass[]) AND NOT confrelid = ANY($1::text[]::regclass[])`;

/** While the archive has partitions, a trigger refuses new orders with the reference of an archived one. */
export const ADD_REFERENCE_TRIGGER = `
  CREATE OR REPLACE TRIGGER tg_orders_archived_reference AFTER INSERT ON orders REFERENCING NEW TABLE AS placed
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_archived_reference()`;

export const DROP_REFERENCE_TRIGGER = 'DROP TRIGGER IF EXISTS tg_orders_archived_reference ON orders';

/** Writes statements that validate the keys of {@link WRITE_OUTER_KEYS} once no partition is archived. */
export const WRITE_OUTER_VALIDATIONS = `
  SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', conrelid::regclass, conname) AS statement FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND confrelid = ANY(${PARENTS}) AND NOT convalidated ORDER BY conrelid, conname`;

/** A range of order ids in a column. */
export interface Range {
  key: string;
  lower: string | null;
  upper: string;
}

const within = ({ key, lower, upper }: Range): string =>
  `${lower === null ? '' : `${key} >= ${lower} AND `}${key} < ${upper}`;

/** Copies a partition sorted by primary key, so that the same rows give the same text. */
export const copyPart = (name: string, columns: readonly string[], order: readonly string[]): string =>
  `COPY (SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order.join(', ')}) TO STDOUT`;

/** Copies rows of another table that belong to a range of orders. These rows stay in the database. */
export const copyReferring = (table: string, columns: readonly string[], range: Range): string =>
  `COPY (SELECT ${columns.join(', ')} FROM ${table} WHERE ${within(range)} ORDER BY ${range.key}) TO STDOUT`;

export const copyIn = (name: string, columns: readonly string[]): string =>
  `COPY ${name} (${columns.join(', ')}) FROM STDIN`;

export const countOf = (name: string): string => `SELECT count(*)::text AS rows FROM ${name}`;

/** The end of a partition of `orders`. */
export interface Ends {
  /** The id of its last order; null if it is empty. */
  last: string | null;
  /** Whether the next order of the service gets an id beyond this partition. */
  passed: boolean;
}

export const findEnds = (orders: string, upper: string): string => `
  SELECT (SELECT max(id)::text FROM ${orders}) AS last,
         coalesce(pg_sequence_last_value(pg_get_serial_sequence('orders', 'id')::regclass), 0) >= ${upper} - 1 AS passed`;

/** Reasons against archiving a partition. Each member is the id of one order with that reason; null if no order has it. */
export interface Obstacles {
  /** The order is open. */
  open: string | null;
  /** The order changed too recently. */
  recent: string | null;
  /** The order has a unit in review. */
  review: string | null;
  /** The order has an open discrepancy. */
  discrepancy: string | null;
  /** The order has an event with a pending delivery. */
  undelivered: string | null;
  /** The order has an attempt about which the service will still query the supplier. */
  unqueried: string | null;
}

/** @param days how many days an order must be unchanged. */
export function findObstacles(
  orders: string,
  units: string,
  { days, ...range }: Omit<Range, 'key'> & { days: number },
): string {
  const one = (from: string, key: string): string =>
    `(SELECT ${key}::text FROM ${from} AND ${within({ ...range, key })} LIMIT 1)`;
  return `
    SELECT (SELECT id::text FROM ${orders} WHERE status IN ('pending', 'processing') ORDER BY created_at, id LIMIT 1) AS open,
           (SELECT id::text FROM ${orders} WHERE updated_at > statement_timestamp() - interval '${days} days' LIMIT 1) AS recent,
           (SELECT order_id::text FROM ${units} WHERE state = 'review' LIMIT 1) AS review,
           ${one(`supplier_reversals WHERE status = 'open'`, 'order_id')} AS discrepancy,
           ${one(`webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE d.status = 'pending'`, 'e.order_id')} AS undelivered,
           ${one('attempt_checks WHERE true', 'order_id')} AS unqueried`;
}

/** Counts a partition's orders in each closed month. */
export const countMonths = (orders: string, { lower, upper }: Omit<Range, 'key'>): string => `
  SELECT month, (SELECT count(*) FROM ${orders} WHERE id > orders_after AND id <= orders_through)::int AS orders
  FROM closed_months WHERE orders_through >= ${lower ?? 0} AND orders_after < ${upper} ORDER BY month`;

export const listSuppliers = (parts: readonly string[]): string =>
  `SELECT DISTINCT supplier_id AS id FROM (${parts
    .map((name) => `SELECT DISTINCT supplier_id FROM ${name}`)
    .join(' UNION ALL ')}) used ORDER BY 1`;

const STATE = `number, first_id::text, end_id::text, state, directory, encode(manifest_hash, 'hex') AS manifest_hash, orders::text`;

/** A partition that is archived, being archived or being restored. */
export interface StateRow {
  number: number;
  first_id: string | null;
  end_id: string;
  state: ArchiveState;
  directory: string;
  /** In hexadecimal. */
  manifest_hash: string | null;
  orders: string;
}

export const LIST_STATES = `SELECT ${STATE} FROM archived_partitions ORDER BY end_id`;

/** $1 number, $2 first id, $3 end, $4 directory, $5 orders, $6 months, $7 suppliers, $8 operator. */
export const BEGIN = `
  INSERT INTO archived_partitions (number, first_id, end_id, state, directory, orders, months, supplier_ids, archived_by)
  VALUES ($1, $2, $3, 'begun', $4, $5, $6::jsonb, $7, $8)
  ON CONFLICT (number) DO UPDATE SET directory = excluded.directory, orders = excluded.orders, months = excluded.months,
    supplier_ids = excluded.supplier_ids, archived_by = excluded.archived_by`;

/** $1 number, $2 hash of the manifest in hexadecimal, $3 bytes. */
export const SET_VERIFIED = `
  UPDATE archived_partitions SET state = CASE state WHEN 'begun' THEN 'verified' ELSE state END,
    manifest_hash = decode($2, 'hex'), bytes = $3 WHERE number = $1`;

/** $1 number, $2 state. */
export const SET_STATE = `UPDATE archived_partitions SET state = $2 WHERE number = $1`;

export const SET_DROPPED = statement(
  'archive.set_dropped',
  { number: 'int' },
  ({ number }) =>
    `UPDATE archived_partitions SET state = 'dropped', archived_at = statement_timestamp() WHERE number = ${number}`,
);

export const FORGET = statement(
  'archive.forget',
  { number: 'int' },
  ({ number }) => `DELETE FROM archived_partitions WHERE number = ${number} AND state = 'attached'`,
);

export const FIND_SCHEMA = `SELECT name FROM schema_migrations ORDER BY timestamp DESC LIMIT 1`;

/** Lists the names that are tables, and whether these tables are attached as partitions. $1: names. */
export const LIST_TABLES = `SELECT relname AS name, relispartition AS attached FROM pg_class WHERE oid = ANY(ARRAY(
  SELECT to_regclass(name) FROM unnest($1::text[]) AS name)) ORDER BY relname`;

/** Creates a table like a partition, before its rows are loaded. */
export const likePart = (name: string, like: string, { key, lower, upper }: Range): string => `
  CREATE TABLE ${name} (LIKE ${like} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE,
    CONSTRAINT ${RANGE_CHECK} CHECK (${within({ key, lower, upper })}))`;

const RANGE_CHECK = 'ck_archived_range';

/**
 * Writes the statements that copy one partition's settings, own foreign keys and statement triggers to a new one. A
 * partition gets none of these from its table. $1: the partition to copy from, $2: the new one, $3 and $4: their
 * suffixes, such as _p3. $5: true if the new keys must refer to partitions with the new number; false if they must refer
 * to whole tables.
 */
export const WRITE_COPIES = `
  SELECT format('ALTER TABLE %I SET (%s)', $2::text, array_to_string(reloptions, ', ')) AS statement
  FROM pg_class WHERE oid = $1::text::regclass AND reloptions IS NOT NULL
  UNION ALL
  SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', $2::text, conname,
                CASE WHEN $5::boolean THEN regexp_replace(definition, $3::text || '\\(', $4::text || '(')
                     ELSE regexp_replace(definition, $3::text || '\\(', '(') || ' NOT VALID' END)
  FROM pg_constraint CROSS JOIN LATERAL (SELECT regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') AS definition) d
  WHERE conrelid = $1::text::regclass AND contype = 'f' AND conparentid = 0
  UNION ALL
  SELECT regexp_replace(pg_get_triggerdef(oid), $3::text || ' ', $4::text || ' ') FROM pg_trigger
  WHERE tgrelid = $1::text::regclass AND NOT tgisinternal AND tgtype & 1 = 0`;

/**
 * Writes the statements that give a table the foreign keys of the table to which it will be attached. Then PostgreSQL need not
 * check these keys while it attaches. $1: the table to attach to, $2: the table to attach.
 */
export const WRITE_PARENT_KEYS = `
  SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s NOT VALID', $2::text, conname,
                regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '')) AS statement
  FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype = 'f' AND conparentid = 0`;

/**
 * Writes statements that validate the foreign keys of partitions, except keys to the whole tables of orders.
 * {@link WRITE_OUTER_VALIDATIONS} validates those. $1: partitions.
 */
export const WRITE_VALIDATIONS = `
  SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', conrelid::regclass, conname) AS statement FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY($1::text[]::regclass[]) AND NOT convalidated
    AND NOT confrelid = ANY(${PARENTS})`;

export const attach = (table: string, name: string, { lower, upper }: Omit<Range, 'key'>): string =>
  `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${lower ?? 'MINVALUE'}) TO (${upper});
   ALTER TABLE ${name} DROP CONSTRAINT ${RANGE_CHECK}`;

/** Lists the tables of orders with this number in their names. A detached table has no bounds to find it by. $1: the number. */
export const LIST_NUMBERED = `
  SELECT p.relname AS "table", c.relname AS name, attname AS key
  FROM pg_partitioned_table JOIN pg_class p ON p.oid = partrelid
  JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
  JOIN pg_class c ON c.oid = to_regclass(format('%I', p.relname || '_p' || $1::int))
  WHERE partrelid = ANY(${PARENTS}) ORDER BY array_position(${PARENTS}, partrelid::regclass)`;

export const hasRowsBelow = (name: string, { key, lower }: Pick<Range, 'key' | 'lower'>): string =>
  `SELECT EXISTS (SELECT FROM ${name} WHERE ${key} < ${lower}) AS found`;

export const detach = (table: string, name: string): string => `ALTER TABLE ${table} DETACH PARTITION ${name}`;

export const drop = (names: readonly string[]): string => `DROP TABLE ${names.join(', ')}`;
