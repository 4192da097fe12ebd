/** The states of an archived partition whose orders are, or for a time were, outside the database. */
export const AWAY: readonly string[] = ['detached', 'dropped', 'attached'];

/** Whether there is such a partition. Rows that refer to its orders stay, so their foreign keys cannot be validated. */
export const IS_ANY_AWAY = `EXISTS (
  SELECT FROM archived_partitions WHERE state IN (${AWAY.map((state) => `'${state}'`).join(', ')}))`;
