/** States of an archived partition that was detached, also if a restore has attached it again. */
export const WAS_DETACHED: readonly string[] = ['detached', 'dropped', 'attached'];

/**
 * In SQL: whether any archived partition was detached. Rows may then refer to orders that the database does not
 * have, so PostgreSQL cannot validate their foreign keys.
 */
export const WAS_ANY_DETACHED = `EXISTS (
  SELECT FROM archived_partitions WHERE state IN (${WAS_DETACHED.map((state) => `'${state}'`).join(', ')}))`;
