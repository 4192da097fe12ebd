import type { Statement } from '../database/database.js';

/** Arbitrary, but unique among our advisory locks. */
const LOCK = 7_038_172;

/** Whether this transaction may make partitions of events: only one does at a time. */
export const LOCK_PARTITIONS: Statement = {
  name: 'partitions.lock',
  text: `SELECT pg_try_advisory_xact_lock(${LOCK}) AS ours`,
};
