import type { Statement } from '../database.js';

/** Arbitrary, but unique among our advisory locks. */
const LOCK = 7_038_172;

/**
 * Whether this transaction may make partitions of a table: only one does at a time. Each table has a lock of its own, so that
 * two workers can't pass each other and both leave one out. $1 the table.
 */
export const LOCK_PARTITIONS: Statement = {
  name: 'partitions.lock',
  text: `SELECT pg_try_advisory_xact_lock(${LOCK}, hashtext($1)) AS ours`,
};
