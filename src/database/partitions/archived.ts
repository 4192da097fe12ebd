/** States of an archived partition whose orders are outside the database, or were until a restore attached them again. */
export const AWAY: readonly string[] = ['detached', 'dropped', 'attached'];

/**
 * In SQL: whether an archived partition is in one of these states. Rows may then refer to orders that the database does not
 * have, so PostgreSQL cannot validate their foreign keys.
 */
export const IS_ANY_AWAY = `EXISTS (
  SELECT FROM archived_partitions WHERE state IN (${AWAY.map((state) => `'${state}'`).join(', ')}))`;
