/** The states of an archived partition whose orders are not in the database, or were not all the time. */
export const AWAY: readonly string[] = ['detached', 'dropped', 'attached'];

/** Whether there is one. Rows that name its orders stay where they are, so a key of theirs would not be found to hold. */
export const IS_ANY_AWAY = `EXISTS (
  SELECT FROM archived_partitions WHERE state IN (${AWAY.map((state) => `'${state}'`).join(', ')}))`;
